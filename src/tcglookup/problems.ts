/** The problems in this form: an error is its message alone. */
import { Problems } from '../api/problems.ts'

export class TcglookupProblems extends Problems {
  constructor() {
    super('A')
  }

  protected override errorOf(_code: unknown, message: string): unknown {
    return message
  }
}
