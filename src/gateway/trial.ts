// Would this request pass? What would become of a request that is only described: entered, planned and admitted by the
// code that judges real ones, and neither run nor charged.
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Caller } from '../accounts/caller.ts'
import type { Allowlists } from '../accounts/allowlists.ts'
import type { Network } from '../ethereum/network.ts'
import type { Limiter, UnitsLeft } from '../limits/limiter.ts'
import type { FileMeters } from '../limits/file-meters.ts'
import { type CardGate, enterFiles, type EnterParts, enterRpc } from './enter.ts'
import type { Credential } from './gateway.ts'
import { createNetworkChoice } from './networks.ts'
import type { FilesClass, Operations } from './operation.ts'
import { plan } from './plan.ts'
import { requestUnits } from './price.ts'
import { type RefusingRule, ruleOf } from './refusing-rule.ts'

/** `keyId` of `accountId`; what is undefined is not sent, `address` and `addresses` excepted: then they are not judged. */
export type TrialRequest = {
  readonly accountId: string
  readonly keyId: string
  /** The right secret goes with it. */
  readonly secret: boolean
  readonly jwt?: string | undefined
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
  /** IP address it comes from. */
  readonly address?: string | undefined
} & (
  | {
      readonly face: 'rpc'
      /** Null: the default. */
      readonly network: string | null
      readonly method: string
      /** What the method takes; else only the accounts it would be about. */
      readonly params?: readonly unknown[] | undefined
      readonly addresses?: readonly Uint8Array[] | undefined
    }
  | {
      readonly face: 'files'
      /** Path of the command: `pin/add`. */
      readonly method: string
      /** Length of the body of an upload. */
      readonly bodyBytes?: number | undefined
    }
)

/**
 * `units`: what it would cost, refused or not. `unjudged`: settings that could refuse it, of which the description says
 * nothing. `left`: what the key may still take; null when nobody entered.
 */
export type TrialVerdict = {
  readonly units: number
  readonly refusal: TrialRefusal | null
  readonly unjudged: readonly ('allowIps' | 'allowAddresses')[]
  readonly left: UnitsLeft | null
}

/** `status`: over HTTP, when the call is not one of a batch. `waitSeconds`: when it would pass; null = not by waiting. */
type TrialRefusal = {
  readonly code: FaultCode
  readonly message: string
  readonly status: number
  readonly rule: RefusingRule | null
  readonly waitSeconds: number | null
}

export type Trial = (request: TrialRequest) => Promise<TrialVerdict>

export type TrialParts = {
  /** The key's caller, as `Directory.enterAs`. */
  readonly enterAs: (
    accountId: string,
    keyId: string,
    shown: { readonly secret: boolean; readonly jwt?: string | undefined },
  ) => Caller | Promise<Caller> | null
  readonly networks: () => readonly Network[]
  readonly operationsOf: (network: Network) => Operations
  /** Null: the file face does not offer it. */
  readonly filesClassOf: (command: string) => FilesClass | null
  readonly limiter: Pick<Limiter, 'admitUnits' | 'admitFiles' | 'withoutTaking' | 'left'>
  readonly fileMeters: FileMeters
  /** The file face refuses accounts without a card. */
  readonly cardGate: () => CardGate
}

/** How far it came, for whoever has to say what stopped it. */
type Course = { caller: Caller | null; units: number; unjudged: TrialVerdict['unjudged'] }

export function createTrial(parts: TrialParts): Trial {
  const { limiter, fileMeters } = parts
  const networkFor = createNetworkChoice(parts.networks)

  function credentialOf(request: TrialRequest): Credential {
    const { keyId, secret, jwt, origin, userAgent, address } = request
    return {
      key: keyId,
      secret: secret ? '' : null,
      ...(jwt === undefined ? {} : { jwt }),
      ...(address === undefined ? {} : { address }),
      origin,
      userAgent,
    }
  }

  /** Judges by ids in the place of the key's text, of which nothing but a hash is kept. Nobody is told of refusals. */
  function entrance({ accountId, keyId, address }: TrialRequest, course: Course): EnterParts {
    function entered(caller: Caller | null): Caller {
      if (caller === null) throw new Fault('bad_key')
      course.caller = caller
      const { allowlists } = caller
      if (address !== undefined || allowlists === null || allowlists.isIpAllowed === null) {
        return caller
      }
      course.unjudged = ['allowIps']
      return { ...caller, allowlists: { ...allowlists, isIpAllowed: null } }
    }
    return {
      authenticate(_key, secret, _address, jwt) {
        const caller = parts.enterAs(accountId, keyId, { secret: secret !== null, jwt })
        return caller instanceof Promise ? caller.then(entered) : entered(caller)
      },
      refused: () => {},
    }
  }

  async function tryRpc(request: TrialRequest & { face: 'rpc' }, course: Course): Promise<void> {
    const network = networkFor(request.network, null)
    const caller = await enterRpc(entrance(request, course), credentialOf(request), network)
    const planned = planOf(request, network, caller.allowlists, course)
    course.units = requestUnits([planned], false)
    if (course.units > 0) {
      limiter.withoutTaking(caller, () => limiter.admitUnits(caller, course.units))
    }
    if (planned.fault !== null) throw planned.fault
  }

  function planOf(
    { method, params, addresses }: TrialRequest & { face: 'rpc' },
    network: Network,
    allowlists: Allowlists | null,
    course: Course,
  ) {
    const operations = parts.operationsOf(network)
    if (params !== undefined) return plan(operations, { method, params }, allowlists, false)
    const offered = operations.find(method)
    const names = offered?.addresses !== undefined
    if (addresses === undefined && names && allowlists !== null && allowlists.addresses !== null) {
      course.unjudged = [...course.unjudged, 'allowAddresses']
    }
    // The same operation, that takes the accounts it is about in the place of params.
    const described: Operations = {
      find(name) {
        const operation = operations.find(name)
        if (operation === null) return null
        const { addresses: _, ...rest } = operation
        const about = names && addresses !== undefined ? { addresses: () => addresses } : {}
        return { ...rest, ...about, parse: () => null }
      },
    }
    return plan(described, { method, params: [] }, allowlists, false)
  }

  async function tryFiles(request: TrialRequest & { face: 'files' }, course: Course) {
    const { method, bodyBytes } = request
    const cardGate = parts.cardGate()
    const caller = await enterFiles(entrance(request, course), credentialOf(request), method, {
      cardGate,
      method,
    })
    const commandClass = parts.filesClassOf(method)
    if (commandClass === null) throw new Fault('no_command')
    limiter.withoutTaking(caller, () => limiter.admitFiles(caller, commandClass))
    const stores = commandClass === 'write' && bodyBytes !== undefined
    const declaredBytes = bodyBytes ?? null
    fileMeters.open(caller, { declaredBytes, stores }).end({ in: 0, out: 0 })
  }

  /** Is it the account that has no more room, not the key? Then it is refused without the key's quotas too. */
  function isAccounts(request: TrialRequest, caller: Caller): boolean {
    if (request.face === 'rpc') return false
    const settings = {
      ...caller.settings,
      filesUploadBytesPerMonth: null,
      filesDownloadBytesPerMonth: null,
      filesStoredBytes: null,
    }
    const stores = request.bodyBytes !== undefined
    try {
      const holder = { ...caller, settings }
      const declaredBytes = request.bodyBytes ?? null
      fileMeters.open(holder, { declaredBytes, stores }).end({ in: 0, out: 0 })
      return false
    } catch (thrown) {
      return Fault.from(thrown).code === 'over_quota'
    }
  }

  return async (request) => {
    const course: Course = { caller: null, units: 0, unjudged: [] }
    let refusal: TrialRefusal | null = null
    try {
      if (request.face === 'rpc') await tryRpc(request, course)
      else await tryFiles(request, course)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (fault.code === 'internal') throw fault
      const { caller } = course
      const commandClass = request.face === 'files' ? parts.filesClassOf(request.method) : null
      const ofAccount =
        fault.code === 'over_quota' && caller !== null && isAccounts(request, caller)
      refusal = {
        code: fault.code,
        message: fault.message,
        status: (request.face === 'files' ? fault.row.files?.status : null) ?? fault.row.status,
        rule: ruleOf(fault, { caller, face: request.face, commandClass, ofAccount }),
        waitSeconds: waitOf(fault),
      }
    }
    const { caller, units, unjudged } = course
    return { units, refusal, unjudged, left: caller === null ? null : limiter.left(caller) }
  }
}

function waitOf(fault: Fault): number | null {
  const data = typeof fault.data === 'object' ? fault.data : {}
  const rate = data['rate'] as { readonly backoff_seconds?: number } | undefined
  return rate?.backoff_seconds ?? null
}
