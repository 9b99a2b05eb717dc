/** What an operator can put right: of the store, of the accounts in it, of a command. The message is one line for them. */
export class AccountsError extends Error {}

/** The store that servers share can't be asked now: what needs it can't be done, and can be tried again. */
export class StoreAway extends AccountsError {}

/** What was asked for can't be done with these accounts and keys; the message is also for the account's own people. */
export class Refusal extends AccountsError {}
