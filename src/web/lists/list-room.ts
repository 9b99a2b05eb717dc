/**
 * Bounds the sum of the lines of all lists that are in the memory of the pages' thread at once. Other lists wait, and
 * enter in the order of their arrival.
 */
import { listLinesAtOnceMax, listWaitMsMax } from '../../limits.ts'

interface Waiting {
  readonly lines: number
  readonly enter: () => void
}

export class ListRoom {
  #free = listLinesAtOnceMax
  readonly #waiting: Waiting[] = []

  /**
   * Resolves to a function that the caller must call when it has finished with the list. Resolves to undefined if the
   * list has waited too long.
   */
  enter(lines: number): Promise<(() => void) | undefined> {
    const taken = Math.min(lines, listLinesAtOnceMax)
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
    let isLeft = false
    const leave = () => {
      if (isLeft) return
      isLeft = true
      this.#free += taken
      this.#letIn()
    }
    const late = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      resolve(undefined)
    }, listWaitMsMax)
    const waiting: Waiting = {
      lines: taken,
      enter: () => {
        clearTimeout(late)
        resolve(leave)
      },
    }
    this.#waiting.push(waiting)
    this.#letIn()
    return promise
  }

  #letIn(): void {
    for (let [next] = this.#waiting; next !== undefined && next.lines <= this.#free; [next] = this.#waiting) {
      this.#waiting.shift()
      this.#free -= next.lines
      next.enter()
    }
  }
}
