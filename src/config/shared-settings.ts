// Digests of the settings that must be the same on all machines of a service, so that `cairn doctor` can name the machines that differ.
// Settings of one machine, such as its address, its folder, its memory and its upstreams, are left out.
// Tested by src/cli/doctor/node-checks.test.ts
import { createHmac } from 'node:crypto'
import type { NetworkConfig } from './network-config.ts'
import type { Config } from './settings.ts'

/** Digest by name of a top-level setting. */
export type SettingDigests = Readonly<Record<string, string>>

const digestLength = 16

/** `secret`: the same on all machines; without it, short secrets in settings could be guessed from the digests. */
export function digestSettings(config: Config, secret: Uint8Array): SettingDigests {
  const { http, objects, admin, ipfsNetwork, node } = config
  const { host: _host, port: _port, ...adminRules } = admin
  const shared = {
    networks: config.networks?.map(withoutUpstreams) ?? null,
    http: [http.failedKeysPerMinute, http.keyRates],
    rpc: config.rpc,
    webSocket: config.webSocket,
    files: config.files,
    gateway: config.gateway,
    ipns: config.ipns,
    ipfsNetwork: [ipfsNetwork.mode, ipfsNetwork.private, ipfsNetwork.provide],
    objects: [objects.url, objects.deleteDelayMs],
    accounts: config.accounts,
    card: config.card,
    keys: config.keys,
    usage: config.usage,
    mail: config.mail,
    alerts: config.alerts,
    events: config.events,
    admin: adminRules,
    signIn: config.signIn,
    shared: config.shared,
    limits: config.limits,
    node: node.only,
  }
  return Object.fromEntries(
    Object.entries(shared).map(([name, value]) => [name, digestOf(value, secret)]),
  )
}

function withoutUpstreams(network: NetworkConfig): object {
  return network.embedded ? network : { ...network, upstreams: null }
}

function digestOf(value: unknown, secret: Uint8Array): string {
  const text = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? String(member) : member,
  )
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, digestLength)
}
