// Names of strangers, dialled by a real node over a simulated DNS.
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { answersMax, levelsMax, limitedDnsaddr } from './dnsaddr.ts'

const peer = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'

/** `answersOf`: TXT records of a name. */
async function rig(t: TestContext, answersOf: (name: string) => readonly string[]) {
  const queries: string[] = []
  const tried: string[] = []
  const node = await createLibp2p({
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionManager: { resolvers: { dnsaddr: limitedDnsaddr } },
    connectionGater: {
      denyDialMultiaddr: (address) => {
        tried.push(address.toString())
        return true
      },
    },
    dns: {
      async query(name: string) {
        queries.push(name)
        return { Answer: answersOf(name).map((one) => ({ data: `"dnsaddr=${one}"` })) }
      },
    } as never,
  })
  t.after(() => node.stop())
  const dial = () => node.dial(multiaddr(`/dnsaddr/a.example/p2p/${peer}`))
  return { dial, queries, tried }
}

test('a name with a hundred names behind it, six times, costs 33 queries', async (t) => {
  const { dial, queries, tried } = await rig(t, (name) => {
    const level = Number(/n(\d)/.exec(name)?.[1] ?? 0)
    if (level === 6) return [`/ip4/192.0.2.1/tcp/4001/p2p/${peer}`]
    return Array.from({ length: 100 }, () => `/dnsaddr/n${level + 1}.example/p2p/${peer}`)
  })
  await rejects(dial())
  equal(queries.length, 1 + answersMax)
  deepEqual(tried, [])
})

test('a name behind a name is followed, as for the bootstrap peers of the public network', async (t) => {
  const { dial, queries, tried } = await rig(t, (name) =>
    name === '_dnsaddr.a.example'
      ? [`/dnsaddr/b.example/p2p/${peer}`]
      : [`/ip4/192.0.2.1/tcp/4001/p2p/${peer}`],
  )
  await rejects(dial())
  equal(queries.length, levelsMax)
  deepEqual(tried, [`/ip4/192.0.2.1/tcp/4001/p2p/${peer}`])
})
