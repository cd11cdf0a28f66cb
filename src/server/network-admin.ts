// Networks for the admin API and the command line: lists the networks of the settings and the saved ones, probes upstreams, saves,
// changes and removes networks. A saved network has only upstreams that serve its chain. Replies contain no secret.
// Tested by test/admin/admin-networks.test.ts
import { isDeepStrictEqual } from 'node:util'
import type {
  NetworkDraft,
  NetworkEntry,
  NetworkProbe,
  NetworksView,
} from '../admin/resources/networks/networks-view.ts'
import { Fault } from '../base/fault.ts'
import { ConfigError } from '../config/config-error.ts'
import {
  type NetworkConfig,
  type UpstreamNetworkConfig,
  activeUpstreams,
} from '../config/network-config.ts'
import { findChainId } from '../config/network-variable.ts'
import {
  listedNetworks,
  type RawNetwork,
  readSavedNetwork,
  withSavedNetworks,
} from '../config/saved-network.ts'
import type { Config } from '../config/settings.ts'
import { entryOf, hiddenEntry, probedUpstream } from './network-entry.ts'
import { type QueriedChain, queryChains, queryUpstreams } from './network-checks/query-upstreams.ts'
import { checkUpstreams } from './network-checks/upstream-checks.ts'
import {
  nameTaken,
  noSavedNetwork,
  readable,
  type SavedNetwork,
  type SavedNetworks,
  savedNetworksMax,
} from './saved-networks.ts'

type NetworkAdminParts = {
  /** Without the saved networks. */
  readonly settings: () => Config
  readonly saved: SavedNetworks
  /** Null on the command line: the running server, or the next start, applies a change. */
  readonly live: {
    /** Resolves when the saved networks are served. */
    refresh(): Promise<void>
    /** Null: not served. `head` null: no confirmed head. */
    find(name: string): { readonly chainId: bigint; readonly head: bigint | null } | null
  } | null
}

/** Probes that run in parallel. */
const probesMax = 4
/** Placeholder while the chain ID is unknown. */
const unknownChain = 1

export function createNetworkAdmin({ settings, saved, live }: NetworkAdminParts): NetworksView {
  let probing = 0

  async function limited<Result>(run: () => Promise<Result>): Promise<Result> {
    if (probing >= probesMax) {
      const detail = `${probesMax} queries of upstreams are running: try again in a minute`
      throw new Fault('overloaded', { detail })
    }
    probing += 1
    try {
      return await run()
    } finally {
      probing -= 1
    }
  }

  async function list(): Promise<NetworkEntry[]> {
    const all = await saved.list()
    const config = settings()
    const own = new Set(listedNetworks(config).map(({ name }) => name))
    const served = listedNetworks(withSavedNetworks(config, readable(all)))
    const first = served[0]?.name
    const entries = served.map(({ name }) => {
      const stored = own.has(name) ? undefined : all.find((one) => one.name === name)
      const network = served.find((one) => one.name === name) as NetworkConfig
      const found = live?.find(name) ?? null
      const shown = entryOf(network, stored ?? null, {
        isDefault: name === first,
        live: liveOf(name),
      })
      return { ...shown, chainId: found?.chainId.toString() ?? shown.chainId }
    })
    const hidden = all.filter((one) => own.has(one.name) || 'problem' in one.found)
    return [...entries, ...hidden.map((one) => hiddenEntry(one, own.has(one.name)))]
  }

  function liveOf(name: string): NetworkEntry['live'] {
    if (live === null) return null
    const found = live.find(name)
    return { serving: found !== null, head: found?.head?.toString() ?? null }
  }

  /** The entry after a change. */
  async function entryNamed(name: string): Promise<NetworkEntry> {
    await live?.refresh()
    const found = (await list()).find((one) => one.name === name && one.origin === 'saved')
    // Another operator removed it in the meantime.
    if (found === undefined) throw noSavedNetwork(name)
    return found
  }

  async function savedNamed(name: string): Promise<SavedNetwork> {
    const found = (await saved.list()).find((one) => one.name === name)
    if (found !== undefined) return found
    if (!listedNetworks(settings()).some((one) => one.name === name)) throw noSavedNetwork(name)
    throw nameTaken(name, 'is in the settings: change it there')
  }

  /** A default network would change the meaning of a settings file that lists networks. */
  function checkDefault(isDefault: boolean | null): void {
    if (isDefault !== true || settings().networks === null) return
    const detail = 'the first network of the settings is the default: change their order'
    throw new Fault('bad_input', { detail, data: { field: 'isDefault' } })
  }

  return {
    list,
    probe: (draft, signal) =>
      limited(async () => {
        const { name = 'network' } = draft
        const chainId = draft.chainId ?? findChainId(name)
        const { name: _name, ...members } = draft
        const raw = rawOf(name, { ...members, chainId: chainId ?? unknownChain })
        return await probe(read(raw), chainId === null ? null : BigInt(chainId), signal)
      }),
    test: (name, signal) =>
      limited(async () => {
        const config = withSavedNetworks(settings(), readable(await saved.list()))
        const found = listedNetworks(config).find((one) => one.name === name)
        if (found === undefined) {
          throw new Fault('absent', { detail: `no network is named ${name}` })
        }
        if (found.embedded) {
          const detail = `${name} is the embedded chain, which has no upstreams`
          throw new Fault('bad_input', { detail, data: { field: 'network' } })
        }
        return await probe(found, found.chainId, signal)
      }),
    async add({ name, ...draft }, { isDefault, force }, signal) {
      checkDefault(isDefault)
      if (listedNetworks(settings()).some((one) => one.name === name)) {
        throw nameTaken(name, 'is in the settings already: change it there, or choose another name')
      }
      const all = await saved.list()
      if (all.some((one) => one.name === name)) {
        throw nameTaken(name, 'is saved already: change or remove it')
      }
      if (all.length >= savedNetworksMax) {
        throw new Fault('conflict', { detail: `at most ${savedNetworksMax} networks can be saved` })
      }
      const raw = await limited(() => checkedNetwork(rawOf(name, draft), force, signal))
      await saved.add(raw, isDefault)
      return await entryNamed(name)
    },
    async change(name, draft, { isDefault, force }, signal) {
      checkDefault(isDefault)
      const before = await savedNamed(name)
      const old = 'raw' in before.found ? before.found.raw : {}
      const upstreams = draft.upstreams?.map((upstream) => withOldUrl(upstream, before))
      const raw = { ...old, ...rawOf(name, { ...draft, upstreams }) }
      const isSameChain =
        draft.chainId === undefined &&
        (draft.upstreams === undefined || addsNoUpstream(raw, before))
      if (isSameChain) read(raw)
      const checked = isSameChain ? raw : await limited(() => checkedNetwork(raw, force, signal))
      await saved.change(before, checked, isDefault ?? before.isDefault)
      return await entryNamed(name)
    },
    async remove(name) {
      await savedNamed(name)
      await saved.remove(name)
      await live?.refresh()
    },
  }
}

/**
 * The draft with its chain ID. Throws `bad_input` unless all upstreams serve that chain; with `force`, also accepts upstreams that
 * do not reply.
 */
async function checkedNetwork(
  raw: RawNetwork,
  force: boolean,
  signal: AbortSignal,
): Promise<RawNetwork> {
  const { name } = raw
  const given = raw['chainId'] as number | undefined
  const expected = given ?? findChainId(name)
  const config = read({ ...raw, chainId: expected ?? unknownChain })
  const chains = await queryChains(config, signal)
  const silent = chains.find(({ failure }) => failure !== null)
  if (silent !== undefined && !force) {
    throw upstreamFault(
      config,
      silent,
      `does not reply: ${silent.failure}; correct it, or save it anyway with force`,
    )
  }
  const reported = chains.find((one) => one.chainId !== null)?.chainId ?? null
  const chainId = expected ?? (reported === null ? null : Number(reported))
  if (chainId === null) {
    const detail = `the chain ID of ${name} is not known from its name, and no upstream replies: set chainId`
    throw new Fault('bad_input', { detail, data: { field: 'chainId' } })
  }
  const other = chains.find((one) => one.chainId !== null && one.chainId !== BigInt(chainId))
  if (other !== undefined) {
    const source = given === undefined && expected !== null ? ` (${name})` : ''
    throw upstreamFault(
      config,
      other,
      `serves chain ${other.chainId}, expected ${chainId}${source}`,
    )
  }
  return { ...raw, chainId }
}

function upstreamFault(
  { upstreams }: UpstreamNetworkConfig,
  { upstream }: QueriedChain,
  why: string,
): Fault {
  const at = upstreams.findIndex(({ name }) => name === upstream)
  const detail = `upstream ${upstream} ${why}`
  return new Fault('bad_input', { detail, data: { field: `upstreams.${at}.url` } })
}

/** The members of the settings file that are defined. */
function rawOf(name: string, { upstreams, ...members }: NetworkDraft): RawNetwork {
  return { ...present({ ...members, upstreams: upstreams?.map(present) }), name }
}

function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Fills in the URL and secrets of the saved upstream of this name if the URL is missing, because replies never contain them. */
function withOldUrl(
  upstream: NonNullable<NetworkDraft['upstreams']>[number],
  { found }: SavedNetwork,
): NonNullable<NetworkDraft['upstreams']>[number] {
  if (upstream.url !== undefined || !('config' in found)) return upstream
  const old = found.config.upstreams.find(({ name }) => name === upstream.name)
  if (old === undefined) return upstream
  return { ...old, headers: { ...old.headers }, ...present(upstream) }
}

/** True if Cairn sends calls only to upstreams that it used before, with the same URL and headers. */
function addsNoUpstream(raw: RawNetwork, { found }: SavedNetwork): boolean {
  if (!('config' in found)) return false
  const used = activeUpstreams(found.config)
  return activeUpstreams(read(raw)).every(({ url, headers }) =>
    used.some((old) => old.url === url && isDeepStrictEqual(old.headers, headers)),
  )
}

/** Throws `bad_input` with the first issue. */
function read(raw: RawNetwork): UpstreamNetworkConfig {
  try {
    return readSavedNetwork(raw)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [issue] = error.mistakes
    const text = issue?.text ?? error.message
    const [, field] = /^([\w[\].-]+)/.exec(text) ?? []
    throw new Fault('bad_input', {
      detail: text,
      data: { field: field?.replaceAll(/\[(\d+)\]/g, '.$1') ?? 'upstreams' },
      cause: error,
    })
  }
}

async function probe(
  config: UpstreamNetworkConfig,
  expected: bigint | null,
  signal: AbortSignal,
): Promise<NetworkProbe> {
  const queried = await queryUpstreams({ networks: [config] }, signal)
  const found = new Set(queried.flatMap(({ report: { chainId } }) => chainId ?? []))
  const [only] = [...found]
  const chainId = expected ?? (found.size === 1 ? (only ?? null) : null)
  const network = { ...config, chainId: chainId ?? only ?? config.chainId }
  const reports = queried.map((one) => ({ ...one, network }))
  const command = (rest: string): string => `cairn ${rest}`
  return {
    name: config.name,
    chainId: chainId?.toString() ?? null,
    upstreams: reports.map(probedUpstream),
    problems: [...checkUpstreams({ networks: [network] }, reports, command)],
  }
}
