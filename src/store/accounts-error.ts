/** An error of the store, its accounts, or a command, which the operator can resolve. The message is one line for operators. */
export class AccountsError extends Error {}

/** The accounts or keys do not allow a request. The message may be shown to the account's people. */
export class Refusal extends AccountsError {}

/** The accounts' store can't be asked; or, if `isAnswer`, it rejected the request and did nothing. */
export class StoreError extends AccountsError {
  readonly isAnswer: boolean

  constructor(message: string, isAnswer = false) {
    super(message)
    this.isAnswer = isAnswer
  }
}

/** Another thread or process kept the write lock for too long. */
export class Busy extends AccountsError {}

/** The replica's rows differ from those that a change expects. */
export class Diverged extends AccountsError {}

/** The accounts' store got a change and did not answer: it may have made it. */
export class UnknownOutcome extends StoreError {}
