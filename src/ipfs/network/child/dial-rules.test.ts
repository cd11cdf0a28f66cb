import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { multiaddr } from '@multiformats/multiaddr'
import { mayDial, publicLookup } from './dial-rules.ts'

const strangers: readonly (readonly [string, boolean])[] = [
  ['/ip4/1.1.1.1/tcp/4001', true],
  ['/ip4/1.1.1.1/tcp/443/tls', true],
  ['/ip6/2606:4700:4700::1111/tcp/4001', true],
  ['/dns4/peer.example.org/tcp/4001', true],
  ['/dnsaddr/bootstrap.example.org', true],
  ['/ip4/127.0.0.1/tcp/4001', false],
  ['/ip4/10.0.0.1/tcp/4001', false],
  ['/ip4/169.254.169.254/tcp/80', false],
  ['/ip6/::1/tcp/4001', false],
  ['/ip6/fd00::1/tcp/4001', false],
  ['/ip4/1.1.1.1/tcp/22', false],
  ['/ip4/1.1.1.1/tcp/25', false],
  ['/ip4/1.1.1.1/udp/4001/quic-v1', false],
  ['/dns4/localhost/tcp/4001', false],
]

test('addresses of strangers are dialled if they are public and have the port of a server', () => {
  for (const [address, allowed] of strangers) {
    equal(mayDial(multiaddr(address), false), allowed, address)
  }
})

test('a private network dials any address', () => {
  for (const address of ['/ip4/127.0.0.1/tcp/4001', '/ip4/10.0.0.1/tcp/22']) {
    ok(mayDial(multiaddr(address), true), address)
  }
})

test('a name with an address of this machine is not connected', async () => {
  const error = await new Promise((resolve) => publicLookup('localhost', {}, resolve))
  ok(error instanceof Error)
})
