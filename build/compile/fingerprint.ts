/**
 * Identifies the output of the compiler. It is the checksum in the name of the version that the compiler makes of the
 * sample, without the file that zlib compresses. If a renderer or an order changes, the fingerprint must change, too. A
 * test then fails and prints what to do. A build reuses a history only if a compiler with the same fingerprint wrote
 * it.
 */
export const compilerFingerprint = 'b435b0991ec5'
