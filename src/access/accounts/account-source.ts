// Where the directory reads accounts, keys and public keys: in `cairn.db`, in the caller's turn, or in a remote database, with a
// wait.
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
   * Gives all rows to `take`, if they have changed since it did so last. Undefined: done; otherwise when it is done. Throws,
   * or rejects, as `Rows`.
   */
  refresh(take: (rows: AccountRows) => void): Promise<void> | undefined
  /**
   * The rows of one key, by the hash of its text: a refresh takes longer. Resolves with null if what `take` got is newer.
   * Null: `refresh` reads as fast.
   */
  readonly findKey: ((keyHash: Uint8Array) => Promise<AccountRows | null>) | null
  /** Calls `changed` when a refresh is worth it, besides the periodic ones; returns a function that ends it. */
  onChange(changed: () => void): () => void
  /** Whether what was read last may still decide: the database may have been away for too long since. */
  isCurrent(): boolean
}

const accountsRevision = revisionOf('accounts')

/** `db`: a read connection, own or shared; all reads are short. */
export function createLocalAccounts(db: Database): AccountSource {
  let revision = -1
  return {
    refresh(take) {
      const now = findOne(db, accountsRevision)?.number ?? 0
      if (now === revision) return undefined
      take({
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

/** Of a reload to the time until the next one: many changes must not cost all of the time. */
const pauseShare = 4
const pauseMsMax = 500

/** `onChange`: of notifications. `staleMs`: how long what was read last decides while `rows` cannot be read. */
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

  async function run(take: (rows: AccountRows) => void): Promise<void> {
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
    take({ credentials, publicKeys })
    revision = revisions[0]?.number ?? 0
    confirmedAt = readAt
    const now = clock.monotonic()
    reloadAt = now + Math.min(pauseShare * (now - readAt), pauseMsMax)
  }

  return {
    refresh(take) {
      if (running === null) {
        running = run(take).finally(() => (running = null))
        return running
      }
      // One that is under way may have read before the change that the caller knows of.
      following ??= running
        .catch(() => {})
        .then(() => {
          following = null
          running = run(take).finally(() => (running = null))
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
      // A key that was revoked in the meantime must stay revoked.
      return (revisions[0]?.number ?? 0) < revision ? null : { credentials, publicKeys }
    },
    onChange: parts.onChange ?? (() => () => {}),
    isCurrent: () => clock.monotonic() - confirmedAt <= staleMs(),
  }
}

function until(time: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.after(time - clock.monotonic(), resolve))
}
