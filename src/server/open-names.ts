// Opens IPNS names and DNSLink: records in rows, stored keys if the operator allows them, DNS, and periodic republishing under a
// lease. `routing` is the only connection to the network process.
// Tested by test/ipns/names-started.test.ts
import { createSecretEncryption } from '../access/people/secret-encryption.ts'
import {
  createIpnsKeysView,
  type IpnsKeysView,
} from '../admin/resources/ipns-keys/ipns-keys-view.ts'
import type { Clock } from '../base/clock.ts'
import { holdWhile, type Leases } from '../base/leases.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'
import { type IpnsKeystore, createIpnsKeystore } from '../ipfs/names/ipns-keystore.ts'
import type { IpnsRouting } from '../ipfs/names/ipns-routing.ts'
import { type Names, createNames } from '../ipfs/names/names.ts'
import { startRepublish } from '../ipfs/names/republish.ts'
import { createHttpsLookup, createSystemLookup } from '../ipfs/names/txt-lookup.ts'
import { dnsLinkNames } from './private-server.ts'

export type OpenNames = {
  readonly names: Names
  /** Null: the setting `ipns.keys` is false. */
  readonly keys: () => IpnsKeystore | null
  readonly keysView: IpnsKeysView
  stop(): Promise<void>
}

export function openNames(parts: {
  readonly config: Pick<Config, 'ipns'>
  readonly settings: { readonly now: Pick<Config, 'ipns' | 'gateway'> }
  readonly rows: Rows
  readonly leases: Leases
  readonly sealSecret: () => Uint8Array
  /** Null: the IPFS network is turned off. */
  readonly routing: () => IpnsRouting | null
  readonly clock: Clock
  readonly log: Log
}): OpenNames {
  const { config, settings, rows, leases, routing, clock, log } = parts
  const { doh } = config.ipns
  const https = doh === null ? null : createHttpsLookup(doh, clock)
  const names = createNames({
    rows,
    routing,
    lookUpTxt: https?.lookUp ?? createSystemLookup(),
    allowsDnsName(name) {
      const listed = dnsLinkNames(settings.now.gateway.dnslink)
      return listed.includes('*') || listed.includes(name)
    },
    clock,
  })
  const seal = createSecretEncryption(parts.sealSecret, 'cairn seal of an IPNS key')
  const keystore = createIpnsKeystore({ rows, names, seal, clock })
  const keys = () => (settings.now.ipns.keys ? keystore : null)
  const endRounds = holdWhile(leases, 'ipns', () => {
    const republish = startRepublish({ rows, routing, keys, clock, log })
    return () => republish.stop()
  })
  return {
    names,
    keys,
    keysView: createIpnsKeysView(keystore),
    async stop() {
      await endRounds()
      await https?.close()
    },
  }
}
