// Rules between members of networks, in addition to the checks of each member.
// Tested by src/config/networks.test.ts
import { fixLine, type ConfigIssue, wrongAt } from './config-issue.ts'
import { nameMember } from './network-issue.ts'
import type { Written } from './network-source-lines.ts'

/** Mainnet, Sepolia, Hoodi: as in src/beacon/spec.ts. */
const beaconChainIds: readonly number[] = [1, 11_155_111, 560_048]

/** Names are unique, and at most one network is embedded. */
export function* checkAcross(written: readonly Written[]): Generator<ConfigIssue> {
  const names = new Map<unknown, Written>()
  let embedded: Written | null = null
  for (const one of written) {
    const { name } = one.raw
    const first = names.get(name)
    if (first !== undefined && typeof name === 'string') {
      const where = one.whereOf(['name'])
      const message = `${nameMember(one, ['name'])}: ${first.whereOf(['name'])} already names a network "${name}"`
      yield wrongAt(where, message, fixLine(where, `name: ${name}-2`))
    }
    names.set(name, first ?? one)
    if (one.raw['embedded'] !== true) continue
    if (embedded !== null) {
      const where = one.whereOf(['embedded'])
      const message = `${nameMember(one, ['embedded'])}: ${embedded.whereOf(['embedded'])} is embedded already, and the data folder holds one chain`
      yield wrongAt(where, message, 'give it upstreams, or remove it from the list')
    }
    embedded ??= one
  }
  const fork = embedded?.raw['fork']
  if (embedded !== null && typeof fork === 'string') yield* checkFork(embedded, fork, names)
}

/** The forked network has upstreams. */
function* checkFork(
  written: Written,
  fork: string,
  names: ReadonlyMap<unknown, Written>,
): Generator<ConfigIssue> {
  const where = written.whereOf(['fork'])
  const member = nameMember(written, ['fork'])
  for (const other of ['genesisFile', 'blocksFile']) {
    if ((written.raw[other] ?? null) === null) continue
    yield wrongAt(where, `${member}: a fork has no genesis block`, `remove ${other}`)
  }
  const [source] = fork.split('@')
  const forked = names.get(source)
  if (forked !== undefined && forked.raw['embedded'] !== true) return
  const message = `${member} names ${source}, expected a network of the list with upstreams`
  yield wrongAt(where, message, `add "- {name: ${source}, upstreams: [{url: …}]}" to the list`)
}

/** Checks the rules within one network. */
export function* checkWithin(written: Written): Generator<ConfigIssue> {
  const { raw, whereOf } = written
  if (typeof raw['blocksFile'] === 'string' && (raw['genesisFile'] ?? null) === null) {
    const where = whereOf(['blocksFile'])
    const message = `${nameMember(written, ['blocksFile'])}: requires genesisFile, the start of its blocks`
    yield wrongAt(where, message, 'add "genesisFile: ./genesis.json" above it')
  }
  yield* checkUpstreams(written)
  yield* checkHeads(written)
  yield* checkLists(written)
}

function* checkUpstreams(written: Written): Generator<ConfigIssue> {
  const { raw, whereOf } = written
  const upstreams = listOf(raw['upstreams'])
  const active = upstreams.filter((upstream) => !isPaused(upstream)).length
  if (upstreams.length > 0 && active === 0) {
    const path = ['upstreams', 0, 'paused']
    const message = `${nameMember(written, path)}: all upstreams are paused, expected one that is not`
    yield wrongAt(whereOf(path), message, fixLine(whereOf(path), 'paused: false'))
  }
  const quorum = (raw['heads'] as { quorum?: unknown } | null | undefined)?.quorum
  if (typeof quorum === 'number' && active > 0 && quorum > active) {
    const path = ['heads', 'quorum']
    const where = whereOf(path)
    const count = `there ${active === 1 ? 'is 1 upstream' : `are ${active} upstreams`}`
    const more = active === upstreams.length ? '' : ', without the paused ones'
    const message = `${nameMember(written, path)} is ${quorum}, and ${count}${more}`
    yield wrongAt(where, message, fixLine(where, `quorum: ${Math.min(2, active)}`))
  }
  const names = new Map<unknown, string>()
  const urls = new Map<string, string>()
  for (const [index, upstream] of upstreams.entries()) {
    const { name, url, headers } = (upstream ?? {}) as Readonly<Record<string, unknown>>
    const at = (member: string) => ['upstreams', index, member]
    const place = (member: string) => whereOf(at(member))
    if (typeof name === 'string') {
      const first = names.get(name)
      if (first !== undefined) {
        const message = `${nameMember(written, at('name'))}: ${first} already names an upstream "${name}"`
        yield wrongAt(place('name'), message, fixLine(place('name'), `name: ${name}-2`))
      }
      names.set(name, first ?? place('name'))
    }
    if (typeof url === 'string' && URL.canParse(url)) {
      const first = urls.get(new URL(url).href)
      if (first !== undefined) {
        const message = `${nameMember(written, at('url'))} is that of ${first}: one node would count as two where several must agree`
        yield wrongAt(place('url'), message, 'remove one of the two')
      }
      urls.set(new URL(url).href, first ?? place('url'))
    }
    yield* checkHeaders(written, index, headers)
  }
}

function isPaused(upstream: unknown): boolean {
  return (upstream as { readonly paused?: unknown } | null)?.paused === true
}

/** A light client needs endpoints and a known beacon chain, and `require: consensus` needs a light client. */
function* checkHeads(written: Written): Generator<ConfigIssue> {
  const { raw, whereOf } = written
  const heads = (raw['heads'] ?? {}) as Readonly<Record<string, unknown>>
  const trust = heads['trust'] ?? 'votes'
  const at = (member: string) => ['heads', member]
  if (trust === 'votes') {
    if (heads['require'] !== 'consensus') return
    const message = `${nameMember(written, at('require'))} is consensus, and heads.trust is votes: no head would be served`
    yield wrongAt(whereOf(at('require')), message, 'set heads.trust: consensus')
    return
  }
  if (listOf(heads['beacon']).length === 0) {
    const message = `${nameMember(written, at('trust'))} needs a light client, and heads.beacon names no beacon node`
    yield wrongAt(
      whereOf(at('trust')),
      message,
      'add beacon: ["http://127.0.0.1:5052"] below heads',
    )
  }
  const chainId = raw['chainId']
  // Another check refuses a network without a chain ID.
  const isKnown = typeof chainId !== 'number' || beaconChainIds.includes(chainId)
  if (!isKnown && (heads['beaconSpec'] ?? null) === null) {
    const message = `${nameMember(written, at('trust'))}: the beacon chain of chain ID ${String(chainId)} is unknown`
    yield wrongAt(whereOf(at('trust')), message, 'set heads.beaconSpec')
  }
}

function* checkHeaders(written: Written, index: number, headers: unknown): Generator<ConfigIssue> {
  if (typeof headers !== 'object' || headers === null) return
  const seen = new Set<string>()
  for (const header of Object.keys(headers)) {
    const path = ['upstreams', index, 'headers', header]
    if (seen.has(header.toLowerCase())) {
      const message = `${nameMember(written, path)} is given twice, in other letter cases`
      yield wrongAt(written.whereOf(path), message, 'remove one of the two')
    }
    seen.add(header.toLowerCase())
  }
}

function* checkLists(written: Written): Generator<ConfigIssue> {
  const denied = new Set(listOf(written.raw['deny']))
  for (const [index, method] of listOf(written.raw['allow']).entries()) {
    if (typeof method !== 'string' || !denied.has(method)) continue
    const message = `${nameMember(written, ['allow', index])}: ${method} is also in deny, which takes precedence`
    yield wrongAt(
      written.whereOf(['allow', index]),
      message,
      `remove ${method} from one of the two`,
    )
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
