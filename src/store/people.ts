/**
 * The tables of those who use the pages.
 *
 *   signInLinks  SHA-256 of a link's token → whose it is     sessions  SHA-256 of a cookie's token → whose it is
 *   lookUps      account number → look-ups of late
 *
 * No server thread needs them: they are opened when they are asked for.
 */
import type { Database, RootDatabase } from 'lmdb'
import { isLookUps, isSession, isSignInLink, type LookUps, type Session, type SignInLink } from './records.ts'
import { readSound } from './sound.ts'

export class People {
  readonly signInLinks: Database<SignInLink, Uint8Array>
  readonly sessions: Database<Session, Uint8Array>
  readonly lookUps: Database<LookUps, number>

  constructor(root: RootDatabase) {
    this.signInLinks = root.openDB('signInLinks', { keyEncoding: 'binary' })
    this.sessions = root.openDB('sessions', { keyEncoding: 'binary' })
    this.lookUps = root.openDB('lookUps', { keyEncoding: 'uint32' })
  }

  signInLink(hash: Uint8Array): SignInLink | undefined {
    return readSound('signInLinks', () => this.signInLinks.get(hash), isSignInLink)
  }

  session(hash: Uint8Array): Session | undefined {
    return readSound('sessions', () => this.sessions.get(hash), isSession)
  }

  lookUpsOf(account: number): LookUps | undefined {
    return readSound('lookUps', () => this.lookUps.get(account), isLookUps)
  }
}
