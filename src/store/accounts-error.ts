/** What an operator can put right: of the store, of the accounts in it, of a command. The message is one line for them. */
export class AccountsError extends Error {}
