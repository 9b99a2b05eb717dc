/** What an operator can put right: of the store, of the accounts in it, of a command. The message is one line for them. */
export class AccountsError extends Error {}

/** What was asked for can't be done with these accounts and keys; the message is also for the account's own people. */
export class Refusal extends AccountsError {}
