/** The quota as the contract puts it: a number for each account and day, and no thread, lease or store that it could differ by. */
export class ReferenceQuota {
  readonly #counts = new Map<string, number>()

  take(account: number, day: number, limit: number): number {
    const left = this.remaining(account, day, limit)
    if (left === 0) return -1
    this.#counts.set(`${day} ${account}`, this.counted(account, day) + 1)
    return left - 1
  }

  remaining(account: number, day: number, limit: number): number {
    return Math.max(limit - this.counted(account, day), 0)
  }

  giveBack(account: number, day: number): void {
    this.#counts.set(`${day} ${account}`, this.counted(account, day) - 1)
  }

  counted(account: number, day: number): number {
    return this.#counts.get(`${day} ${account}`) ?? 0
  }
}
