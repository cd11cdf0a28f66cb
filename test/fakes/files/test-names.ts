// Names and IPNS keys over given rows: DNS is a table of TXT records, and there are no routers.
import { createSecretEncryption } from '../../../src/access/people/secret-encryption.ts'
import type { Clock } from '../../../src/base/clock.ts'
import { Fault } from '../../../src/base/fault.ts'
import type { Rows } from '../../../src/db/rows.ts'
import type { FetchPolicy } from '../../../src/ipfs/files.ts'
import { createIpnsKeystore } from '../../../src/ipfs/names/ipns-keystore.ts'
import { createNames } from '../../../src/ipfs/names/names.ts'
import type { NameCommandDeps } from '../../../src/kubo/params/ipns-options.ts'

/** TXT records by name. */
export type TestDns = ReadonlyMap<
  string,
  { readonly texts: readonly string[]; readonly ttlMs: number | null }
>

export function createTestNames(rows: Rows, clock: Clock, dns: TestDns = new Map()) {
  const names = createNames({
    rows,
    routing: () => null,
    lookUpTxt: async (name) => dns.get(name) ?? null,
    allowsDnsName: (name) => dns.has(`_dnslink.${name}`),
    clock,
  })
  const seal = createSecretEncryption(() => Buffer.alloc(32, 1), 'cairn seal of an IPNS key')
  const keystore = createIpnsKeystore({ rows, names, seal, clock })
  return {
    names,
    keys: () => keystore,
    async resolveName(path: string, { offline }: FetchPolicy, signal: AbortSignal) {
      const terms = { recursive: true, fresh: false, offline, routers: true }
      return (await names.resolve(path, terms, signal)).path
    },
  }
}

const refuse = async (): Promise<never> => {
  throw new Fault('command_not_offered')
}

/** For tests that run no commands on names. */
export const noNames: NameCommandDeps = {
  names: { resolve: refuse, find: refuse, put: refuse },
  keys: () => null,
}
