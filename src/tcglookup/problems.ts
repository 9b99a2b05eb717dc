/** The errors of the compatibility API. A response contains only the message: `{"error":"…"}`. */
import { Problems } from '../api/problems.ts'

export class TcglookupProblems extends Problems {
  constructor() {
    super('A')
  }

  protected override errorOf(_code: unknown, message: string): unknown {
    return message
  }
}
