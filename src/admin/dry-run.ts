// Dry run of a described request: authenticates, plans and admits it with the code that serves real requests, but neither runs nor
// charges it.
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Network } from '../chain/network.ts'
import type { Limiter, RemainingUnits } from '../access/limits/limiter.ts'
import type { TransferMeters } from '../access/limits/transfer-meters.ts'
import {
  type AuthenticateDeps,
  type CardCheck,
  type Credential,
  authenticateFiles,
  authenticateRpc,
} from '../pipeline/authenticate-request.ts'
import { createNetworkChoice } from '../rpc/networks.ts'
import type { CommandClass } from '../kubo/kubo-command.ts'
import type { Operations } from '../rpc/operation.ts'
import { planCall } from '../rpc/run-calls.ts'
import { requestUnits } from '../pipeline/price.ts'
import { type DenyReason, denyReasonOf } from './deny-reason.ts'

/**
 * `keyId` of `accountId`. Undefined members are treated as not sent; without `address` or `addresses` their allowlist is skipped.
 */
export type DryRunRequest = {
  readonly accountId: string
  readonly keyId: string
  /** The request carries the correct secret. */
  readonly secret: boolean
  readonly jwt?: string | undefined
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
  /** Client IP address. */
  readonly address?: string | undefined
} & (
  | {
      readonly face: 'rpc'
      /** Null: the default network. */
      readonly network: string | null
      readonly method: string
      /** Params of the method; without them, `addresses` lists the accounts that the call concerns. */
      readonly params?: readonly unknown[] | undefined
      readonly addresses?: readonly Uint8Array[] | undefined
    }
  | {
      readonly face: 'files'
      /** Path of the command, such as `pin/add`. */
      readonly method: string
      /** Length of the body of an upload. */
      readonly bodyBytes?: number | undefined
    }
)

/**
 * `units`: price of the request, refused or not. `unjudged`: settings that could refuse it, skipped because the
 * description lacks the value. `left`: remaining units of the key; null if it was not authenticated.
 */
export type DryRunResult = {
  readonly units: number
  readonly refusal: DryRunRefusal | null
  readonly unjudged: readonly ('allowIps' | 'allowAddresses')[]
  readonly left: RemainingUnits | null
}

/** `status`: HTTP status of a single call. `waitSeconds`: time until it would pass; null: waiting does not help. */
type DryRunRefusal = {
  readonly code: FaultCode
  readonly message: string
  readonly status: number
  readonly rule: DenyReason | null
  readonly waitSeconds: number | null
}

export type DryRun = (request: DryRunRequest) => Promise<DryRunResult>

export type DryRunDeps = {
  /** Returns the caller of a key, as `Directory.enterAs`. */
  readonly enterAs: (
    accountId: string,
    keyId: string,
    shown: { readonly secret: boolean; readonly jwt?: string | undefined },
  ) => Caller | null | Promise<Caller | null>
  readonly networks: () => readonly Network[]
  readonly operationsOf: (network: Network) => Operations
  /** Null: the IPFS API has no such command. */
  readonly commandClassOf: (command: string) => CommandClass | null
  readonly limiter: Pick<Limiter, 'checkUnits' | 'checkFiles' | 'remaining'>
  readonly transferMeters: TransferMeters
  /** Whether the IPFS API refuses accounts without a card. */
  readonly cardGate: () => CardCheck
}

/** Progress of the dry run, to name the rule that stopped it. */
type Course = { caller: Caller | null; units: number; unjudged: DryRunResult['unjudged'] }

export function createDryRun(parts: DryRunDeps): DryRun {
  const { limiter, transferMeters } = parts
  const networkFor = createNetworkChoice(parts.networks)

  function credentialOf(request: DryRunRequest): Credential {
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

  /** Authenticates by IDs instead of the key's text, which is stored only as a hash. Refusals are not counted. */
  function dryRunAuthentication(
    { accountId, keyId, address }: DryRunRequest,
    course: Course,
  ): AuthenticateDeps {
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

  async function tryRpc(request: DryRunRequest & { face: 'rpc' }, course: Course): Promise<void> {
    const network = networkFor(request.network, null)
    const caller = await authenticateRpc(
      dryRunAuthentication(request, course),
      credentialOf(request),
      network,
    )
    const planned = planOf(request, network, caller, course)
    course.units = requestUnits([planned], false)
    if (course.units > 0) await limiter.checkUnits(caller, course.units)
    if (planned.fault !== null) throw planned.fault
  }

  function planOf(
    { method, params, addresses }: DryRunRequest & { face: 'rpc' },
    network: Network,
    caller: Caller,
    course: Course,
  ) {
    const { allowlists } = caller
    const operations = parts.operationsOf(network)
    if (params !== undefined) return planCall(operations, { method, params }, caller, false)
    const offered = operations.find(method)
    const names = offered?.addresses !== undefined
    if (addresses === undefined && names && allowlists !== null && allowlists.addresses !== null) {
      course.unjudged = [...course.unjudged, 'allowAddresses']
    }
    // Same operation, with the given addresses in place of params.
    const described: Operations = {
      find(name) {
        const operation = operations.find(name)
        if (operation === null) return null
        const { addresses: _, ...rest } = operation
        const about = names && addresses !== undefined ? { addresses: () => addresses } : {}
        return { ...rest, ...about, parse: () => null }
      },
    }
    return planCall(described, { method, params: [] }, caller, false)
  }

  async function tryFiles(request: DryRunRequest & { face: 'files' }, course: Course) {
    const { method, bodyBytes } = request
    const cardGate = parts.cardGate()
    const caller = await authenticateFiles(
      dryRunAuthentication(request, course),
      credentialOf(request),
      method,
      {
        cardGate,
        method,
      },
    )
    const commandClass = parts.commandClassOf(method)
    if (commandClass === null) throw new Fault('no_command')
    await limiter.checkFiles(caller, commandClass)
    const stores = commandClass === 'write' && bodyBytes !== undefined
    const declaredBytes = bodyBytes ?? null
    const meter = await transferMeters.open(caller, { declaredBytes, stores })
    meter.end({ in: 0, out: 0 })
  }

  /** Is the account's storage full, and not the key's? Then the request is refused without the key's quotas too. */
  async function isAccounts(request: DryRunRequest, caller: Caller): Promise<boolean> {
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
      const meter = await transferMeters.open(holder, { declaredBytes, stores })
      meter.end({ in: 0, out: 0 })
      return false
    } catch (thrown) {
      return Fault.from(thrown).code === 'over_quota'
    }
  }

  return async (request) => {
    const course: Course = { caller: null, units: 0, unjudged: [] }
    let refusal: DryRunRefusal | null = null
    try {
      if (request.face === 'rpc') await tryRpc(request, course)
      else await tryFiles(request, course)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (fault.code === 'internal') throw fault
      const { caller } = course
      const commandClass = request.face === 'files' ? parts.commandClassOf(request.method) : null
      const ofAccount =
        fault.code === 'over_quota' && caller !== null && (await isAccounts(request, caller))
      refusal = {
        code: fault.code,
        message: fault.message,
        status: (request.face === 'files' ? fault.row.files?.status : null) ?? fault.row.status,
        rule: denyReasonOf(fault, { caller, face: request.face, commandClass, ofAccount }),
        waitSeconds: waitOf(fault),
      }
    }
    const { caller, units, unjudged } = course
    return {
      units,
      refusal,
      unjudged,
      left: caller === null ? null : await limiter.remaining(caller),
    }
  }
}

function waitOf(fault: Fault): number | null {
  const data = typeof fault.data === 'object' ? fault.data : {}
  const rate = data['rate'] as { readonly backoff_seconds?: number } | undefined
  return rate?.backoff_seconds ?? null
}
