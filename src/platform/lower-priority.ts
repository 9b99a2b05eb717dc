import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of this process; on Linux, only of this thread. A priority that is already lower stays, because
 * only root may raise it.
 * @returns the reason if the priority can't be lowered, for example because of a seccomp filter
 */
export function lowerPriority(niceness: number): Error | undefined {
  try {
    if (getPriority() < niceness) setPriority(niceness)
    return undefined
  } catch (error) {
    return error as Error
  }
}
