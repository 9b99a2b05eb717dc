/**
 * Identifies what the compiler writes: the checksum in the name of the version that it makes of the sample, without the
 * file that zlib compresses. A change of a renderer or of an order changes it, and a test then fails that says what to
 * do. A build continues a history only if a compiler with the same fingerprint wrote it.
 */
export const compilerFingerprint = 'b435b0991ec5'
