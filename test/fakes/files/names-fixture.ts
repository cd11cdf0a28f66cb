// Names over rows in memory, with DNS and routers that the test fills.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createSecretEncryption } from '../../../src/access/people/secret-encryption.ts'
import { type IpnsName, nameOfKey } from '../../../src/codec/ipld/ipns-name.ts'
import { createIpnsRecord } from '../../../src/codec/ipld/ipns-record.ts'
import { encodePublicKey } from '../../../src/codec/ipld/libp2p-key.ts'
import { createIpnsKeystore } from '../../../src/ipfs/names/ipns-keystore.ts'
import type { IpnsRouting } from '../../../src/ipfs/names/ipns-routing.ts'
import { createNames } from '../../../src/ipfs/names/names.ts'
import { createFilesFixture } from './files-fixture.ts'

export const hourMs = 3_600_000

/** A key with its IPNS name; signs records. */
export function newSigner() {
  const key: KeyObject = generateKeyPairSync('ed25519').privateKey
  const name: IpnsName = nameOfKey(encodePublicKey(key))
  return {
    key,
    name,
    sign(value: string, sequence: bigint, validity: number, ttlMs = 60_000) {
      const ttlNs = BigInt(ttlMs) * 1_000_000n
      return createIpnsRecord(key, { value, sequence, validity, ttlNs, compatible: true }).bytes
    },
  }
}

/** `dns`: TXT records and their TTL by name; an Error as value is thrown. `listed`: null lists every name. */
export function createNamesFixture(t: TestContext, listed: readonly string[] | null = null) {
  const { rows, clock, database } = createFilesFixture(t)
  const dns = new Map<string, { texts: string[]; ttlMs: number | null } | Error>()
  const routed = new Map<string, Uint8Array[]>()
  const state = {
    dnsLookups: [] as string[],
    gets: [] as string[],
    puts: [] as string[],
    isOnline: false,
    isBroken: false,
  }
  const routing: IpnsRouting = {
    async getIpnsRecords({ text }) {
      state.gets.push(text)
      if (state.isBroken) throw new Error('no router')
      return [Buffer.from('no record'), ...(routed.get(text) ?? [])]
    },
    async putIpnsRecord({ text }, record) {
      state.puts.push(text)
      if (state.isBroken) throw new Error('no router')
      routed.set(text, [record])
    },
  }
  const names = createNames({
    rows,
    routing: () => (state.isOnline ? routing : null),
    async lookUpTxt(name) {
      state.dnsLookups.push(name)
      const found = dns.get(name) ?? null
      if (found instanceof Error) throw found
      return found
    },
    allowsDnsName: (name) => listed === null || listed.includes(name),
    clock,
  })
  const seal = createSecretEncryption(() => Buffer.alloc(32, 1), 'cairn seal of an IPNS key')
  const keys = createIpnsKeystore({ rows, names, seal, clock })
  return { names, keys, dns, routed, routing, state, rows, clock, database }
}
