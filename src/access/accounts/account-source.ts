// Reads accounts, keys and public keys for the directory: synchronously from `cairn.db`, or asynchronously from a remote database.
// Tested by src/access/accounts/directory.test.ts, src/access/accounts/remote-directory.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { findAll, findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { type CredentialRow, findCredential, listCredentials } from '../../tables/api-keys.ts'
import {
  listPublicKeys,
  listPublicKeysOfHash,
  type PublicKeyRow,
} from '../../tables/public-keys.ts'
import { revisionOf } from '../../tables/revisions.ts'

export type AccountRows = {
  readonly credentials: readonly CredentialRow[]
  readonly publicKeys: readonly Omit<PublicKeyRow, 'name' | 'created'>[]
}

export type AccountSource = {
  /**
   * Passes all rows to `applyRows` if they have changed since the last call. Undefined: done synchronously; otherwise resolves when
   * done. Throws, or rejects, as `Rows`.
   */
  refresh(applyRows: (rows: AccountRows) => void): Promise<void> | undefined
  /**
   * Reads the rows of one key by the hash of its text, faster than a refresh. Resolves with null if the rows that `applyRows` received
   * are newer. Null: `refresh` is equally fast.
   */
  readonly findKey: ((keyHash: Uint8Array) => Promise<AccountRows | null>) | null
  /** Calls `changed` when a refresh is useful, in addition to the periodic ones; returns a function that unsubscribes. */
  onChange(changed: () => void): () => void
  /** False if the last read is too old to decide by, because the database has been unreachable since. */
  isCurrent(): boolean
}

const accountsRevision = revisionOf('accounts')

/** `db`: a read connection, exclusive or shared; all reads are short. */
export function createLocalAccounts(db: Database): AccountSource {
  let revision = -1
  return {
    refresh(applyRows) {
      const now = findOne(db, accountsRevision)?.number ?? 0
      if (now === revision) return undefined
      applyRows({
        publicKeys: findAll(db, listPublicKeys()),
        credentials: findAll(db, listCredentials()),
      })
      revision = now
      return undefined
    },
    findKey: null,
    onChange: () => () => {},
    isCurrent: () => true,
  }
}

/** Minimum pause as a multiple of a reload's duration, so that frequent changes cannot use all of the time. */
const pauseShare = 4
const pauseMsMax = 500

/** `onChange`: notifications. `staleMs`: how long the last read remains valid while `rows` cannot be read. */
export function createRemoteAccounts(parts: {
  readonly rows: Pick<Rows, 'first' | 'snapshot'>
  readonly onChange?: AccountSource['onChange']
  readonly clock: Clock
  readonly staleMs: () => number
}): AccountSource {
  const { rows, clock, staleMs } = parts
  let revision = -1
  let confirmedAt = Number.NEGATIVE_INFINITY
  let reloadAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null
  let following: Promise<void> | null = null

  async function run(applyRows: (rows: AccountRows) => void): Promise<void> {
    const began = clock.monotonic()
    const found = await rows.first(accountsRevision)
    if ((found?.number ?? 0) === revision) {
      confirmedAt = began
      return
    }
    if (reloadAt > began) await until(reloadAt, clock)
    const readAt = clock.monotonic()
    const [revisions, credentials, publicKeys] = await rows.snapshot([
      accountsRevision,
      listCredentials(),
      listPublicKeys(),
    ])
    applyRows({ credentials, publicKeys })
    revision = revisions[0]?.number ?? 0
    confirmedAt = readAt
    const now = clock.monotonic()
    reloadAt = now + Math.min(pauseShare * (now - readAt), pauseMsMax)
  }

  return {
    refresh(applyRows) {
      if (running === null) {
        running = run(applyRows).finally(() => (running = null))
        return running
      }
      // A refresh in flight may have read before the change that the caller knows of, so start another.
      following ??= running
        .catch(() => {})
        .then(() => {
          following = null
          running = run(applyRows).finally(() => (running = null))
          return running
        })
      return following
    },
    async findKey(keyHash) {
      const [revisions, credentials, publicKeys] = await rows.snapshot([
        accountsRevision,
        findCredential(keyHash),
        listPublicKeysOfHash(keyHash),
      ])
      // A key that was revoked in the meantime must remain revoked.
      return (revisions[0]?.number ?? 0) < revision ? null : { credentials, publicKeys }
    },
    onChange: parts.onChange ?? (() => () => {}),
    isCurrent: () => clock.monotonic() - confirmedAt <= staleMs(),
  }
}

function until(time: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.after(time - clock.monotonic(), resolve))
}
