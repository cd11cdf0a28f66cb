// Problems of the IPFS network: addresses, routers, the clock, the DHT, and a network process that keeps failing.
// Tested by src/cli/doctor/ipfs-network-checks.test.ts
import { isPublicAddress } from '../../base/addresses.ts'
import type { Config } from '../../config/settings.ts'
import type { Rows } from '../../db/rows.ts'
import { problem, warning, type Problem } from '../../server/network-checks/problem.ts'
import { countPinRequestsByStatus } from '../../tables/pinning/pin-requests.ts'
import type { Machine } from './machine.ts'
import { hostAndPort } from './peer-host.ts'
import type { QueriedIpfsNetwork } from './query-ipfs-network.ts'

/** Provider and name records carry times, so peers with a correct clock reject those of a wrong clock. */
const clockOffMsMax = 60_000

/** `running`: a server uses the data folder, so the port is in use by that server. */
export async function* checkIpfsNetwork(
  found: QueriedIpfsNetwork | null,
  machine: Pick<Machine, 'tryListen'>,
  { ipfsNetwork }: Pick<Config, 'ipfsNetwork'>,
  running: boolean,
): AsyncGenerator<Problem> {
  if (found === null) return
  if (ipfsNetwork.mode === 'provide') {
    if (!running) yield* checkListen(machine, ipfsNetwork.listen)
    if (!ipfsNetwork.private) yield* checkAnnounced(ipfsNetwork)
  }
  for (const { host, failure } of found.routers) {
    if (failure === null) continue
    yield warning(
      'router_silent',
      `the router ${host} finds no providers: ${failure}`,
      'correct ipfsNetwork.routers, or remove it: other routers and the DHT are still asked',
    )
  }
  yield* checkClock(found)
  yield* checkProbed(found)
  if (found.isDown) {
    yield problem(
      'network_down',
      'the process of the IPFS network ended five times in ten minutes',
      'look for network_process_ended in the log; ipfsNetwork: {mode: off} turns it off',
    )
  }
}

/** Pin requests that find no content because this server searches no network. */
export async function* checkUnfoundPins(
  rows: Pick<Rows, 'find'>,
  { ipfsNetwork, fileSources }: Pick<Config, 'ipfsNetwork' | 'fileSources'>,
): AsyncGenerator<Problem> {
  if (ipfsNetwork.mode !== 'off' || fileSources.length > 0) return
  const unfound = await rows.find(countPinRequestsByStatus())
  const count = unfound.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return
  yield warning(
    'network_off',
    `${count === 1 ? '1 request to pin waits or failed' : `${count} requests to pin wait or failed`}, and this server finds missing content nowhere`,
    'ipfsNetwork: {mode: fetch}, or name gateways in files.sources',
  )
}

async function* checkListen(
  machine: Pick<Machine, 'tryListen'>,
  listen: readonly string[],
): AsyncGenerator<Problem> {
  for (const { host, port } of listen.map(hostAndPort).filter((one) => one !== null)) {
    const refusal = port === 0 ? null : await machine.tryListen(host, port)
    if (refusal === null) continue
    yield warning(
      'network_port_refused',
      `cannot listen on ${host} port ${port} for IPFS peers (${refusal}): Cairn would fetch, but not serve them`,
      refusal === 'EADDRINUSE'
        ? `find the other program with ss -ltnp 'sport = :${port}', or change ipfsNetwork.listen`
        : 'ipfsNetwork: {listen: [/ip4/0.0.0.0/tcp/4001]}',
    )
  }
}

function* checkAnnounced({
  listen,
  announce,
}: Pick<Config['ipfsNetwork'], 'listen' | 'announce'>): Generator<Problem> {
  const fix = 'ipfsNetwork: {announce: [/dns4/<public host name>/tcp/4001]}'
  const hosts = (announce.length === 0 ? listen : announce)
    .map(hostAndPort)
    .filter((one) => one !== null)
  // With 0.0.0.0, Cairn announces the machine's addresses, which may be public.
  const inside = hosts.filter(
    ({ host, isName }) => !isName && !isAnywhere(host) && !isPublicAddress(host),
  )
  for (const { host } of announce.length === 0 ? [] : inside) {
    yield warning('announce_private', `peers cannot reach the announced address ${host}`, fix)
  }
  if (announce.length > 0) return
  if (inside.length < hosts.length) {
    yield warning(
      'announce_unset',
      'ipfsNetwork.announce is empty: peers get the addresses of this machine, which they cannot reach behind NAT',
      fix,
    )
  } else {
    yield warning('announce_private', 'ipfsNetwork.listen has no address that peers can reach', fix)
  }
}

function* checkClock({ routers, now }: QueriedIpfsNetwork): Generator<Problem> {
  const offsets = routers.flatMap(({ date }) => (date === null ? [] : [now - date]))
  // A router's clock may be wrong too: the check reports only if all disagree.
  if (offsets.length === 0 || offsets.some((ms) => Math.abs(ms) <= clockOffMsMax)) return
  const seconds = Math.round((offsets[0] ?? 0) / 1000)
  yield warning(
    'clock_off',
    `the clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the routers`,
    'synchronize it: timedatectl set-ntp true',
  )
}

function* checkProbed({ dht, gateways }: QueriedIpfsNetwork): Generator<Problem> {
  if (dht !== null && dht.peers === 0) {
    yield warning(
      'dht_silent',
      `no peer of the DHT answered: ${dht.failure ?? `none in ${Math.round(dht.ms / 1000)} s`}`,
      'allow outgoing TCP connections, or correct ipfsNetwork.bootstrap; ipfsNetwork: {dht: off} does without it',
    )
  }
  for (const { address, protocol, failure } of gateways) {
    if (failure === null && protocol === 'h2') continue
    yield warning(
      'announced_gateway',
      failure === null
        ? `the announced gateway ${address} does not speak HTTP/2: Kubo does not use it`
        : `the announced gateway ${address} is not reachable from this machine: ${failure}`,
      failure === null
        ? 'enable HTTP/2 in the proxy in front of Cairn'
        : 'correct ipfsNetwork.announce, or the proxy in front of Cairn',
    )
  }
}

const isAnywhere = (host: string): boolean => host === '0.0.0.0' || host === '::'
