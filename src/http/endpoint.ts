/** A route as a server offers it: in the form in which it answers. */
import type { Answerer, Answers } from '../api/answers.ts'
import { type Problem, type Problems, planRestriction } from '../api/problems.ts'
import { formOf, planOf, type Route, rankOf } from '../api/routes.ts'
import type { ApiForm } from '../settings.ts'

export interface Endpoint {
  readonly route: Route
  readonly answer: Answerer
  /** In the form in which it answers. */
  readonly problems: Problems
  /** Of the lowest plan that includes it. */
  readonly rank: number
  /** What is told on a lower one. */
  readonly restriction: Problem
}

/** @param problems in each form of the interface */
export const endpointOf = (
  route: Route,
  served: ApiForm,
  answers: Answers,
  problems: Readonly<Record<ApiForm, Problems>>,
): Endpoint => {
  const inForm = problems[formOf(route, served)]
  return {
    route,
    answer: answers.of[route.operation],
    problems: inForm,
    rank: rankOf(route, served),
    restriction: inForm.saying('PLAN_RESTRICTION', planRestriction(planOf(route, served))),
  }
}
