/** What an operator can put right: of the store, of the accounts in it, of a command. The message is one line for them. */
export class AccountsError extends Error {}

/** What was asked for can't be done with these accounts and keys; the message is also for the account's own people. */
export class Refusal extends AccountsError {}

/** The store that servers share can't be asked; or it answered that it won't, and then nothing was done. */
export class StoreError extends AccountsError {
  readonly isAnswer: boolean

  constructor(message: string, isAnswer = false) {
    super(message)
    this.isAnswer = isAnswer
  }
}

/** Another thread or process was writing for longer than could be waited for. */
export class Busy extends AccountsError {}

/** The copy has other rows than a change of the shared accounts expects. */
export class Diverged extends AccountsError {}

/** The store was asked for a change and did not answer: it may have made it. */
export class UnknownOutcome extends StoreError {}
