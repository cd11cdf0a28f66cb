// Replies about many peers, each of which describes itself at length, on a simulated node.
import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { multiaddr } from '@multiformats/multiaddr'
import { encodeFromNet } from '../net-frames.ts'
import { addressesOfPeersMax, type CommandParts, runCommand } from './commands.ts'

const address = multiaddr('/ip4/192.0.2.1/tcp/4001')
const long = Array.from({ length: 100 }, (_, at) => `/protocol/${at}/${'x'.repeat(70)}`)
const known = {
  protocols: long,
  addresses: Array.from({ length: 100 }, () => ({ multiaddr: address })),
  metadata: new Map(),
}
const connections = Array.from({ length: 256 }, (_, at) => ({
  remotePeer: { toString: () => `peer${at}` },
  remoteAddr: address,
  direction: 'inbound',
  streams: Array.from({ length: 1000 }, () => ({ protocol: '/ipfs/bitswap/1.2.0' })),
}))
const libp2p = {
  getConnections: () => connections,
  peerStore: {
    get: async () => known,
    all: async ({ limit }: { limit: number }) =>
      Array.from({ length: 2 * limit }, (_, at) => ({ id: `peer${at}`, ...known })).slice(0, limit),
  },
}

for (const [name, count] of [
  ['swarm/peers', 256],
  ['swarm/addrs', addressesOfPeersMax],
] as const) {
  test(`${name} replies with a frame for each peer`, async () => {
    const parts = { node: { libp2p } } as unknown as CommandParts
    let values = 0
    let bytes = 0
    const reply = (value: unknown): void => {
      values += 1
      bytes += Buffer.concat(encodeFromNet({ kind: 'reply', id: 1, message: { value } })).length
    }
    await runCommand({ name }, parts, reply, new AbortController().signal)
    equal(values, count)
    ok(bytes > 1024 * 1024, 'more than one frame may have')
  })
}
