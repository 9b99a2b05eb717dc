import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of this process, on Linux of this thread alone. A priority that is lower already stays: only root
 * may raise it.
 * @returns the reason if the priority can't be lowered, such as a seccomp filter
 */
export function lowerPriority(niceness: number): Error | undefined {
  try {
    if (getPriority() < niceness) setPriority(niceness)
    return undefined
  } catch (error) {
    return error as Error
  }
}
