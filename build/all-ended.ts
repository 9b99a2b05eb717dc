/** Like Promise.all, but rejects only when all have ended, so that nothing writes to what the caller removes after a failure. */
export async function allEnded<Work extends readonly unknown[]>(
  works: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const all = Promise.all(works)
  await all.catch(() => Promise.allSettled(works))
  return all
}
