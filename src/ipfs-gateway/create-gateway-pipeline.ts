// The order of steps for requests to `/ipfs/<cid>[/path]` and `/ipns/<name>[/path]`: authenticate unless reading is public,
// authorize, parse, admit, resolve the name, check deny rules, pins and storage, run, meter.
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import type { CID } from 'multiformats/cid'
import type { Caller } from '../access/accounts/caller.ts'
import type { Clock } from '../base/clock.ts'
import { Fault, hasCode } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import { cidOf } from '../codec/ipld/cid.ts'
import { type IpnsName, libp2pKeyCodec, parseIpnsName } from '../codec/ipld/ipns-name.ts'
import { decodeMultihash, identityCode } from '../codec/ipld/multihash.ts'
import { type Names, usualTerms } from '../ipfs/names/names.ts'
import { parsePath } from '../ipfs/read/path.ts'
import type { Files } from '../ipfs/files.ts'
import { linksOf } from '../ipfs/read/links.ts'
import type { PathLimits } from '../access/limits/path-limits.ts'
import type {
  FileRequest,
  TransferMeter,
  TransferMeters,
} from '../access/limits/transfer-meters.ts'
import { type UsedCall, pathsOutcome } from '../access/usage/usage-row.ts'
import type { Credential } from '../pipeline/authenticate-request.ts'
import type { DenyStatus } from './deny-list.ts'
import type { GatewayPipeline } from './gateway-pipeline.ts'
import type { IpfsGatewayRequest, PathRequest } from './path-operation.ts'

export type PathRules = {
  /** Whether requests need no key. */
  readonly isPublic: () => boolean
  /** Whether an account has content that needs no key. */
  readonly hasPublicContent: () => boolean
  /** Whether only pinned content is served: pinned by the caller's account, or by any account for a request without a key. */
  readonly pinnedOnly: () => boolean
  /** Whether missing content may be fetched from sources, for callers with a key. */
  readonly fetches: () => boolean
  /** The status of the refusal; null: the content is not denied. */
  readonly denialOf: (cid: CID, segments?: readonly string[]) => DenyStatus | null
  /** The same for an IPNS name in canonical form (`canonicalName`). */
  readonly denialOfName: (name: string) => DenyStatus | null
  /** Called before each request, so that recently added rules apply to it. */
  readonly refreshDenials: () => void
  readonly admit: PathLimits['admit']
}

export type PathParts = {
  readonly rules: PathRules
  readonly files: Files
  /** The files that an account can read, by its ID; null: all files. */
  readonly filesOf: ((accountId: string) => Files) | null
  /** The files that pins make public. */
  readonly publicFiles: Files
  /** Authenticates and authorizes as on the IPFS API: key, secret, enabled APIs, allowlists, card. */
  readonly enter: (credential: Credential, operation: string) => Promise<Caller>
  /** Absent: IPNS names are not resolved. */
  readonly names?: Pick<Names, 'resolve' | 'find'>
  readonly transferMeters: TransferMeters
  readonly count: (call: UsedCall) => void
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

/** Gateway requests have no body. */
const noBody: FileRequest = { declaredBytes: null, stores: false }

export function createGatewayPipeline(parts: PathParts): GatewayPipeline {
  const { rules, files, enter, count, clock, log } = parts

  /**
   * Whether the request is limited to public content: it has no key, the gateway is not public, and it was not made on this
   * machine.
   */
  function seesOnlyPublic({ caller, local }: IpfsGatewayRequest): boolean {
    return caller === null && !local && !rules.isPublic()
  }

  function filesFor(visit: IpfsGatewayRequest): Files {
    if (seesOnlyPublic(visit)) return parts.publicFiles
    return visit.caller === null ? files : (parts.filesOf?.(visit.caller.accountId) ?? files)
  }

  function checkAllowed(cid: CID, segments?: readonly string[]): void {
    refuseIf(rules.denialOf(cid, segments))
  }

  type Located = { readonly request: PathRequest; readonly ttlMs: number | null }

  /** Whether names may be looked up in routers: under the same conditions as fetching content from sources. */
  function lookupTerms({ caller, cachedOnly, forCairn }: IpfsGatewayRequest) {
    const mayUseRouters = caller !== null && !cachedOnly && !forCairn
    return { ...usualTerms, offline: cachedOnly, routers: mayUseRouters }
  }

  /** Resolves a name to its current content. `name`: in canonical form (`canonicalName`). */
  async function locate(visit: IpfsGatewayRequest, name: string): Promise<Located> {
    const { request, operation, signal } = visit
    if (parts.names === undefined) throw namesNotResolved()
    refuseIf(rules.denialOfName(name))
    if (operation.ofName === true) return { request: ofRecord(name, request), ttlMs: null }
    const permit = (one: string) => refuseIf(rules.denialOfName(one))
    const terms = { ...lookupTerms(visit), permit }
    const { path, ttlMs } = await parts.names.resolve(`/ipns/${name}`, terms, signal)
    const { root, segments } = parsePath(path)
    const mount = { name, depth: segments.length }
    return {
      request: { ...request, root, mount, segments: [...segments, ...request.segments] },
      ttlMs,
    }
  }

  async function getRecord(visit: IpfsGatewayRequest, name: IpnsName) {
    const found = await parts.names?.find(name, lookupTerms(visit), visit.signal)
    if (found === undefined || found === null) {
      throw new Fault('not_found', { detail: `no valid record of ${name.text} was found` })
    }
    if (seesOnlyPublic(visit)) await checkNamed(visit, name)
    return found
  }

  /** A record is public if the content that it names is public. */
  async function checkNamed(visit: IpfsGatewayRequest, name: IpnsName): Promise<void> {
    const terms = lookupTerms(visit)
    const resolved = await parts.names?.resolve(`/ipns/${name.text}`, terms, visit.signal)
    const root = resolved === undefined ? null : parsePath(resolved.path).root
    if (root === null || !(await parts.publicFiles.has(root))) throw new Fault('no_credential')
  }

  /** Checks only rows and the index. */
  async function checkRoot(visit: IpfsGatewayRequest, request: PathRequest): Promise<void> {
    const { cachedOnly } = visit
    const { root, segments } = request
    checkAllowed(root, segments)
    const { code, digest } = decodeMultihash(root.multihash.bytes)
    const isIdentity = code === identityCode
    // An identity CID contains its content. If that has links, they may lead to content of other accounts.
    if (isIdentity && linksOf(root, digest).length === 0) return
    await checkPins(visit, request)
    if (isIdentity || (await filesFor(visit).has(root))) return
    if (cachedOnly) throw new Fault('not_cached')
    if (!mayFetch(visit)) {
      throw new Fault('not_found', { detail: `${root.toString()} is not on this server` })
    }
  }

  async function checkPins(visit: IpfsGatewayRequest, request: PathRequest): Promise<void> {
    const { caller, operation } = visit
    const { root, segments } = request
    // A direct pin covers only the root's own block, not the target of a path.
    const recursive = operation.recursive || segments.length > 0
    if (seesOnlyPublic(visit)) {
      // Do not reveal whether the content is stored.
      if (await parts.publicFiles.has(root)) return
      throw new Fault('no_credential')
    }
    const isOpen = caller !== null || rules.isPublic()
    if (isOpen && !rules.pinnedOnly() && caller?.settings.gatewayPinnedOnly !== true) return
    if (await files.isPinned(root, { accountId: caller?.accountId ?? null, recursive })) return
    throw new Fault('not_found', { detail: `${root.toString()} is not pinned on this server` })
  }

  function mayFetch({ caller, cachedOnly, forCairn }: IpfsGatewayRequest): boolean {
    return rules.fetches() && caller !== null && !cachedOnly && !forCairn
  }

  return {
    async authenticatePath(credential, operation, local) {
      if (credential !== null) return await enter(credential, operation)
      if (local || rules.isPublic() || rules.hasPublicContent()) return null
      throw new Fault('no_credential')
    },

    countPathRefusal(caller, method, fault) {
      if (caller === null) return
      const nothing = { verified: '', units: 0, bytesIn: 0, bytesOut: 0, ms: null }
      const { keyId, accountId } = caller
      const facts = { keyId, accountId, face: 'files', network: '', method } as const
      count({ ...facts, ...pathsOutcome(fault), ...nothing })
    },

    async runPath(visit) {
      const { caller, address, operation, from, local, signal } = visit
      const keyId = caller?.keyId ?? null
      const started = clock.monotonic()
      let admitted = false
      function meter(fault: Fault | null, bytesOut: number, status?: number): void {
        // A request without a key is not counted in any account's usage.
        if (caller === null) return
        const facts = {
          face: 'files',
          network: '',
          method: operation.name,
          verified: '',
          units: 0,
        } as const
        const outcome = pathsOutcome(fault)
        count({
          keyId: caller.keyId,
          accountId: caller.accountId,
          ...facts,
          ...outcome,
          status: fault === null ? (status ?? outcome.status) : outcome.status,
          bytesIn: 0,
          bytesOut,
          ms: admitted ? clock.monotonic() - started : null,
        })
      }
      let leave = (): void => {}
      let measured: TransferMeter | null = null
      try {
        // A malformed request for content is refused before admission; a name is resolved only after admission.
        const direct =
          typeof from === 'string' ? null : { ...visit.request, root: from, mount: null }
        const early = direct === null ? null : operation.parse(direct)
        const admitting = rules.admit({
          keyId,
          address,
          unmetered: local && caller === null,
          blocks: visit.readsBlocks,
        })
        leave = admitting instanceof Promise ? await admitting : admitting
        const opening = caller === null ? null : parts.transferMeters.open(caller, noBody)
        measured = opening instanceof Promise ? await opening : opening
        admitted = true
        rules.refreshDenials()
        const { request, ttlMs } =
          direct === null ? await locate(visit, String(from)) : { request: direct, ttlMs: null }
        const input = direct === null ? operation.parse(request) : early
        if (operation.ofName !== true) await checkRoot(visit, request)
        const patience = {
          offline: !mayFetch(visit),
          timeoutMs: null,
          // The root was checked together with its path: a rule may allow a path of a root that another rule denies.
          permit(cid: CID) {
            if (!equalBytes(cid.multihash.bytes, request.root.multihash.bytes)) checkAllowed(cid)
          },
        }
        const seen = filesFor(visit)
        const reply = await operation.run(input, {
          caller,
          files: seen,
          patience,
          checkAllowed,
          getRecord: (name) => getRecord(visit, name),
          signal,
        })
        return {
          reply,
          ttlMs,
          download: measured,
          settle(fault, bytesOut, status) {
            leave()
            measured?.end({ in: 0, out: bytesOut })
            meter(fault, bytesOut, status)
          },
        }
      } catch (thrown) {
        leave()
        measured?.end({ in: 0, out: 0 })
        const fault = absenceOf(thrown)
        if (fault.code === 'internal') {
          log('error', 'operation failed', { method: operation.name, cause: fault.cause })
        }
        meter(fault, 0)
        throw fault
      }
    },
  }
}

/** A name as the CID of its key. Throws `bad_argument` for a DNS name, which has no record, and for a path below the name. */
function ofRecord(name: string, request: IpfsGatewayRequest['request']): PathRequest {
  const key = parseIpnsName(name)
  if (key === null || request.segments.length > 0) {
    throw new Fault('bad_argument', { detail: 'only the name of a key has an IPNS record' })
  }
  return { ...request, root: cidOf(1, libp2pKeyCodec, key.multihash), mount: { name, depth: 0 } }
}

function refuseIf(status: DenyStatus | null): void {
  if (status !== null) throw new Fault(status === 451 ? 'denied_legally' : 'denied')
}

function namesNotResolved(): Fault {
  return new Fault('bad_argument', { detail: 'this server does not resolve IPNS names' })
}

/** Converts the failure of a command because of absent content to a separate fault. */
export function absenceOf(thrown: unknown): Fault {
  const fault = Fault.from(thrown)
  const absent = hasCode(fault.cause, 'not_found')
  if (fault.code !== 'command_failed' || !absent) return fault
  return new Fault('not_found', { detail: fault.message, cause: fault })
}
