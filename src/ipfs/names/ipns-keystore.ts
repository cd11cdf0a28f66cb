// Ed25519 keys of IPNS names that Cairn stores for accounts, encrypted in the database. They sign IPNS records and cannot move
// funds (decision 0075). `self`: the key created for an account's first record without a named key.
// Tested by src/ipfs/names/ipns-keystore.test.ts
import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createKeyedQueue } from '../../base/keyed-queue.ts'
import { createKeyedSemaphore } from '../../base/keyed-semaphore.ts'
import { equalBytes } from '../../base/hex.ts'
import { type IpnsName, ipnsNameOf, nameOfKey, parseIpnsName } from '../../codec/ipld/ipns-name.ts'
import {
  type IpnsRecord,
  compareIpnsRecords,
  createIpnsRecord,
  decodeIpnsRecord,
} from '../../codec/ipld/ipns-record.ts'
import { encodePublicKey, privateKeyOf, seedOf } from '../../codec/ipld/libp2p-key.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import {
  type IpnsKeyRow,
  deleteIpnsKey,
  insertIpnsKey,
  listIpnsKeys,
  listIpnsKeysToRenew,
  renameIpnsKey,
  scheduleIpnsKey,
} from '../../tables/ipns/ipns-keys.ts'
import { findIpnsRecord } from '../../tables/ipns/ipns-records.ts'
import type { Names } from './names.ts'

type IpnsKey = { readonly name: string; readonly id: IpnsName }

export type Publication = {
  /** The name of a key, `self`, or the IPNS name of a key. */
  readonly key: string
  /** `/ipfs/…` or `/ipns/…`. */
  readonly path: string
  readonly lifetimeMs: number
  readonly ttlMs: number
  /** Null: the next sequence number. */
  readonly sequence: bigint | null
  /** Includes the V1 fields. */
  readonly compatible: boolean
}

/** All but `renew` throw `command_failed` with Kubo's texts. */
export interface IpnsKeystore {
  /** Ordered by name, `self` first if it exists. */
  list(accountId: string): Promise<readonly IpnsKey[]>
  create(accountId: string, name: string): Promise<IpnsKey>
  /** `key`: an Ed25519 private key. */
  import(accountId: string, name: string, key: KeyObject): Promise<IpnsKey>
  /** The private key. */
  export(accountId: string, name: string): Promise<KeyObject>
  remove(accountId: string, name: string): Promise<IpnsKey>
  /** `force`: removes an existing key named `to`. */
  rename(
    accountId: string,
    name: string,
    to: string,
    force: boolean,
  ): Promise<{ readonly id: IpnsName; readonly overwritten: boolean }>
  publish(
    accountId: string,
    publication: Publication,
    terms: { readonly offline: boolean },
    signal: AbortSignal,
  ): Promise<IpnsRecord & { readonly name: IpnsName }>
  /** Renews the signatures of at most 100 records that have used up half of their lifetime. Resolves to the number of failures. */
  renew(signal: AbortSignal): Promise<number>
}

/** Encrypts with the owner's name as associated data; `open` returns null for bytes of another owner. */
type Seal = {
  close(bytes: Uint8Array, name: string): Uint8Array
  open(sealed: Uint8Array, name: string): Uint8Array | null
}

export const ipnsKeysMax = 100
/** Maximum number of unfinished publications: of all accounts, of one. */
const publicationsMax = 1000
export const publicationsPerAccountMax = 100
/** Sequence numbers are unsigned, 64 bits. */
const sequenceMax = 2n ** 64n - 1n
const renewedPerRun = 100
const selfKey = 'self'
const defaultLifetimeMs = 48 * 3_600_000
const renewRetryMs = 10 * 60_000
/** Names that would be valid file names in Kubo's key store. U+FFFD stands for bytes of a URL that are not UTF-8. */
const namePattern = /^[^\p{Cc}\p{Cs}\uFFFD/]{1,128}$/u
const nameRule =
  'a key name is 1 to 128 characters of UTF-8, without slashes and control characters'

export function createIpnsKeystore(parts: {
  readonly rows: Rows
  readonly names: Names
  readonly seal: Seal
  readonly clock: Clock
}): IpnsKeystore {
  const { rows, names, seal, clock } = parts
  /** By key, because each publication continues the sequence of the one before. */
  const publications = createKeyedQueue(publicationsMax)
  const publishing = createKeyedSemaphore(publicationsPerAccountMax)

  async function listRows(accountId: string): Promise<readonly IpnsKeyRow[]> {
    const all = await rows.find(listIpnsKeys(accountId))
    return all.toSorted((a, b) => Number(b.name === selfKey) - Number(a.name === selfKey))
  }

  async function findRow(accountId: string, name: string): Promise<IpnsKeyRow | null> {
    return (await listRows(accountId)).find((row) => row.name === name) ?? null
  }

  async function getRow(accountId: string, name: string): Promise<IpnsKeyRow> {
    const row = await findRow(accountId, name)
    if (row === null) throw failed(`no key named ${name} was found`)
    return row
  }

  async function insert(accountId: string, name: string, key: KeyObject): Promise<IpnsKey> {
    if (!namePattern.test(name)) throw failed(nameRule)
    const id = nameOfKey(encodePublicKey(key))
    const sealed = seal.close(seedOf(key), ownerOf(accountId, id.multihash))
    const row = {
      account_id: accountId,
      name,
      id: id.multihash,
      sealed,
      lifetime: defaultLifetimeMs,
    }
    const options = { created: clock.now(), max: ipnsKeysMax }
    await write([insertIpnsKey(row, options)], async () => {
      const existing = await listRows(accountId)
      if (existing.some((one) => equalBytes(one.id, id.multihash))) {
        return failed('the account has this key already')
      }
      const hasName = existing.some((one) => one.name === name)
      return failed(
        hasName
          ? `key with name '${name}' already exists`
          : `at most ${ipnsKeysMax} keys per account`,
      )
    })
    return { name, id }
  }

  async function write(
    statements: readonly Statement[],
    toFault: () => Fault | Promise<Fault>,
  ): Promise<void> {
    try {
      await rows.write(statements)
    } catch (thrown) {
      throw thrown instanceof NothingChanged ? await toFault() : thrown
    }
  }

  function open({ account_id: accountId, id, sealed }: IpnsKeyRow): KeyObject {
    const seed = seal.open(sealed, ownerOf(accountId, id))
    if (seed !== null) return privateKeyOf(seed)
    throw failed('the key is encrypted with the identity.pem of another folder: restore that file')
  }

  /** As in Kubo: `self`, then by name, then by ID. */
  async function findSigner(accountId: string, key: string): Promise<IpnsKeyRow> {
    const row = await findRow(accountId, key)
    if (row !== null) return row
    if (key === selfKey) {
      const { privateKey } = generateKeyPairSync('ed25519')
      const failure = await insert(accountId, selfKey, privateKey).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      // A parallel publication may have created it.
      const created = await findRow(accountId, selfKey)
      if (created === null) throw failure
      return created
    }
    const id = parseIpnsName(key)
    const existing = id === null ? [] : await listRows(accountId)
    const found = existing.find((one) => id !== null && equalBytes(one.id, id.multihash))
    if (found === undefined) throw failed('no key by the given name or PeerID was found')
    return found
  }

  /** As in Kubo, the sequence number increases only if the value changes. */
  async function sequenceAfter(
    name: IpnsName,
    { path, sequence }: Pick<Publication, 'path' | 'sequence'>,
    offline: boolean,
    signal: AbortSignal,
  ): Promise<bigint> {
    const published = offline
      ? null
      : await names.find(name, { fresh: true, offline, routers: true }, signal).catch(() => {
          signal.throwIfAborted()
          return null
        })
    const last = newer(published, await findLast(name.multihash))
    if (sequence !== null) {
      if (last !== null && sequence <= last.sequence) {
        throw failed('sequence number must be greater than the current record sequence')
      }
      return sequence
    }
    if (last === null) return 0n
    if (last.value === path) return last.sequence
    if (last.sequence === sequenceMax) {
      throw failed(`the record has sequence number ${sequenceMax}, and there is no higher one`)
    }
    return last.sequence + 1n
  }

  /** Includes a record that expired, for example while the server was stopped. */
  async function findLast(id: Uint8Array): Promise<IpnsRecord | null> {
    const row = await rows.first(findIpnsRecord(id))
    return row === null ? null : decodeIpnsRecord(row.record)
  }

  async function sign(
    row: IpnsKeyRow,
    publication: Omit<Publication, 'key'>,
    { offline }: { readonly offline: boolean },
    signal: AbortSignal,
  ): Promise<IpnsRecord & { readonly name: IpnsName }> {
    const key = open(row)
    const name = nameOfKey(encodePublicKey(key))
    const { path: value, lifetimeMs, ttlMs, compatible } = publication
    const sequence = await sequenceAfter(name, publication, offline, signal)
    const now = clock.now()
    const { bytes } = createIpnsRecord(key, {
      value,
      sequence,
      validity: now + lifetimeMs,
      ttlNs: BigInt(Math.round(ttlMs)) * 1_000_000n,
      compatible,
    })
    const record = await names.put(
      row.account_id,
      { name, bytes, force: true },
      { offline },
      signal,
    )
    const renew = now + Math.ceil(lifetimeMs / 2)
    await rows.write([scheduleIpnsKey(row, { lifetime: lifetimeMs, renew })])
    return { ...record, name }
  }

  async function renewOne(row: IpnsKeyRow, signal: AbortSignal): Promise<boolean> {
    try {
      const record = await findLast(row.id)
      if (record === null) return false
      await sign(
        row,
        {
          path: record.value,
          lifetimeMs: row.lifetime,
          ttlMs: Number((record.ttlNs ?? 0n) / 1_000_000n),
          sequence: null,
          compatible: record.hasV1,
        },
        { offline: false },
        signal,
      )
      return true
    } catch {
      return false
    }
  }

  return {
    list: async (accountId) => (await listRows(accountId)).map(toIpnsKey),

    async create(accountId, name) {
      if (name === selfKey) throw failed(`cannot create key with name '${selfKey}'`)
      return await insert(accountId, name, generateKeyPairSync('ed25519').privateKey)
    },

    async import(accountId, name, key) {
      if (name === selfKey) throw failed(`cannot import key with name '${selfKey}'`)
      return await insert(accountId, name, key)
    },

    export: async (accountId, name) => open(await getRow(accountId, name)),

    async remove(accountId, name) {
      if (name === selfKey) throw failed(`cannot remove key with name '${selfKey}'`)
      const row = await getRow(accountId, name)
      await rows.write([deleteIpnsKey(accountId, name)])
      return toIpnsKey(row)
    },

    async rename(accountId, name, to, force) {
      if (name === selfKey) throw failed(`cannot rename key with name '${selfKey}'`)
      if (to === selfKey) throw failed(`cannot overwrite key with name '${selfKey}'`)
      if (!namePattern.test(to)) throw failed(nameRule)
      const { id } = toIpnsKey(await getRow(accountId, name))
      if (name === to) return { id, overwritten: false }
      const overwritten = (await findRow(accountId, to)) !== null
      if (overwritten && !force) throw failed(`key with name '${to}' already exists`)
      const statements = [
        ...(overwritten ? [deleteIpnsKey(accountId, to)] : []),
        renameIpnsKey(accountId, name, to),
      ]
      await write(statements, () => failed(`no key named ${name} was found`))
      return { id, overwritten }
    },

    async publish(accountId, publication, terms, signal) {
      if (!publishing.acquire(accountId)) {
        throw new Fault('overloaded', {
          detail: `${publicationsPerAccountMax} publications of this account are under way, which is the limit`,
        })
      }
      try {
        const row = await findSigner(accountId, publication.key)
        const key = Buffer.from(row.id).toString('hex')
        return await publications.run(key, () => sign(row, publication, terms, signal))
      } finally {
        publishing.release(accountId)
      }
    },

    async renew(signal) {
      let failures = 0
      for (const row of await rows.find(listIpnsKeysToRenew(clock.now(), renewedPerRun))) {
        signal.throwIfAborted()
        if (await renewOne(row, signal)) continue
        failures += 1
        const { lifetime } = row
        await rows.write([scheduleIpnsKey(row, { lifetime, renew: clock.now() + renewRetryMs })])
      }
      return failures
    },
  }
}

function newer(one: IpnsRecord | null, other: IpnsRecord | null): IpnsRecord | null {
  if (one === null || other === null) return one ?? other
  return compareIpnsRecords(one, other) > 0 ? one : other
}

function toIpnsKey({ name, id }: IpnsKeyRow): IpnsKey {
  const found = ipnsNameOf(id)
  if (found === null) throw new TypeError('the row of an IPNS key has no name')
  return { name, id: found }
}

/** Binds the encrypted key to its row. */
function ownerOf(accountId: string, id: Uint8Array): string {
  return `${accountId} ${Buffer.from(id).toString('hex')}`
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
