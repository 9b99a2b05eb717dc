/** A route with all that depends on the server's form of the interface. */
import type { Answerer, Answers } from '../api/answers.ts'
import { type Problem, type Problems, planRestriction } from '../api/problems.ts'
import { formOf, planOf, type Route, rankOf } from '../api/routes.ts'
import type { ApiForm } from '../settings.ts'

export interface Endpoint {
  readonly route: Route
  readonly answer: Answerer
  /** In the route's form. */
  readonly problems: Problems
  /** Rank of the lowest plan that includes it. */
  readonly rank: number
  /** The response to an account of a lower plan. */
  readonly restriction: Problem
}

/** @param problems by form of the interface */
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
