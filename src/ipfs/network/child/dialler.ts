// Opens connections: to providers for sessions, to the operator's peers permanently, to bootstrap peers while no peer is connected.
// Tested by src/ipfs/network/child/dialler.test.ts, test/network/child.test.ts
import { peerIdFromString } from '@libp2p/peer-id'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { NetHello } from '../net-messages.ts'
import type { Provider } from './block-peer.ts'
import { mayDial } from './dial-rules.ts'
import type { NetNode } from './node.ts'
import { dialTargets, parseMultiaddr, providersOfAddress } from './peer-addresses.ts'
import type { RunningClock } from './running-clock.ts'

export type Dialler = {
  /** Rejects if the peer is excluded or not reachable within 10 s of running time. */
  dial(peer: string, addresses: readonly string[]): Promise<void>
  operatorPeers(): readonly Provider[]
  /** Replaces the peers of the settings. */
  replacePeers(addresses: readonly string[]): void
  /** Adds a peer until the process ends. Returns false for an address without a peer ID. */
  addPeer(address: string): boolean
  removePeer(peer: string): void
}

export const dialMs = 10_000
/** Of a peer, each time after this much time was lost. */
export const triesMax = 5
const lostMsMin = 1000
export const peersMax = 100
const keepMs = 15_000
const bootstrapMs = 30_000

export function createDialler(
  node: NetNode,
  hello: NetHello,
  /** Finds addresses of a peer that is known only by its ID. */
  findPeer: (peer: string, signal: AbortSignal) => Promise<readonly string[]>,
  clock: RunningClock,
): Dialler {
  const { libp2p } = node
  const self = libp2p.peerId.toString()
  let ofSettings: readonly string[] = hello.peers
  const added: string[] = []

  async function dial(peer: string, addresses: readonly string[]): Promise<void> {
    if (peer === self || node.isExcluded(peer)) throw new Error('the peer is excluded')
    if (libp2p.getConnections(peerIdFromString(peer)).some(({ status }) => status === 'open'))
      return
    const aborter = new AbortController()
    const stop = clock.after(dialMs, () => aborter.abort(new Error('no connection in time')))
    try {
      const { signal } = aborter
      const given = addresses.length > 0 ? addresses : await findPeer(peer, signal)
      const targets = dialTargets(peer, given).filter((one) => mayDial(one, hello.private))
      if (targets.length === 0) throw new Error('the peer has no address that may be dialled')
      await connect(targets, signal)
    } finally {
      stop()
    }
  }

  /** Dials again if the time limits of js-libp2p passed while this process waited for a processor. */
  async function connect(targets: readonly Multiaddr[], signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const before = clock.lostMs
      try {
        await libp2p.dial([...targets], { signal })
        return
      } catch (error) {
        // Counts what was lost until now.
        clock.monotonic()
        const isLate = clock.lostMs - before >= lostMsMin
        if (!isLate || tries === triesMax || signal.aborted) throw error
      }
    }
  }

  function operatorPeers(): readonly Provider[] {
    return [...ofSettings, ...added].slice(0, peersMax).flatMap(providersOfAddress)
  }

  function connectOperatorPeers(): void {
    for (const provider of operatorPeers()) {
      if (provider.kind === 'peer') dial(provider.peer, provider.addresses).catch(() => {})
    }
  }

  function bootstrap(): void {
    if (libp2p.getConnections().length > 0) return
    for (const text of hello.bootstrap.slice(0, peersMax)) {
      const address = parseMultiaddr(text)
      if (address !== null) libp2p.dial(address).catch(() => {})
    }
  }

  connectOperatorPeers()
  bootstrap()
  clock.every(keepMs, connectOperatorPeers)
  clock.every(bootstrapMs, bootstrap)
  return {
    dial,
    operatorPeers,
    replacePeers(addresses) {
      ofSettings = addresses
      connectOperatorPeers()
    },
    addPeer(address) {
      if (providersOfAddress(address).length === 0 || added.length >= peersMax) return false
      added.push(address)
      connectOperatorPeers()
      return true
    },
    removePeer(peer) {
      const rest = added.filter((one) => !one.endsWith(`/p2p/${peer}`))
      added.splice(0, added.length, ...rest)
    },
  }
}
