// Queries an upstream for the accounts and slots that a call will access. Nodes support different methods: they are tried in
// order, and the first that works is used from then on.
// Tested by test/calls/proved-calls.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { requestJson, stateOverridesJson } from '../chain/call-json.ts'
import type {
  AccessListEntry,
  CallRequest,
  Overrides,
  StateOverride,
} from '../chain/computation.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Relay } from '../chain/relay.ts'

export type AccessHint = {
  /** Null if no upstream answers in time. Never rejects. */
  query(
    call: {
      readonly request: CallRequest
      readonly overrides: Overrides
      readonly block: BlockRef
    },
    signal: AbortSignal,
  ): Promise<readonly AccessListEntry[] | null>
}

/** Time limit of a hint, longer than most calls take at a node. After it the call starts without a hint. */
const hintMs = 2_000
/** After this many consecutive calls for which every form is refused, no hint is requested. */
const unsupportedMax = 3
/** Time until refused forms are tried again. */
const retryMs = 600_000
/** Maximum number of entries read from a reply. */
const entriesMax = 4_096
/** Wei. Nodes refuse senders that cannot pay for the gas of the call. */
const richBalance = '0xffffffffffffffffffffffff'

/** JSON-RPC 2.0. */
const invalidParams = -32602

/** A method that returns a hint: its last parameter, and the parser of its reply. */
type Form = {
  readonly method: string
  readonly lastParam: (overrides: Readonly<Record<string, unknown>>) => unknown
  readonly read: (reply: unknown) => readonly AccessListEntry[]
}

const forms: readonly Form[] = [
  { method: 'eth_createAccessList', lastParam: (overrides) => overrides, read: readAccessList },
  {
    method: 'debug_traceCall',
    lastParam: (stateOverrides) => ({
      tracer: 'prestateTracer',
      tracerConfig: { disableCode: true },
      stateOverrides,
    }),
    read: readPrestate,
  },
]

export function createAccessHint(parts: {
  readonly relay: Relay
  readonly clock: Clock
}): AccessHint {
  const { relay, clock } = parts
  /** Index of the form to try first; `forms.length`: none. */
  let first = 0
  let unsupportedInARow = 0
  let retryAt = 0

  async function queryForm(
    { method, lastParam, read }: Form,
    { request, overrides, block }: Parameters<AccessHint['query']>[0],
    signal: AbortSignal,
  ) {
    const params = [
      requestJson(withoutPrices(request)),
      null,
      lastParam(fundedOverrides(request, overrides.state)),
    ]
    const pin = { at: 1, form: 'object', block } as const
    const { result } = await relay.call({ method, params, pin, class: 'read' }, signal)
    return read(result)
  }

  return {
    async query(call, signal) {
      if (first > 0 && clock.monotonic() > retryAt) first = 0
      const timeout = new AbortController()
      const stop = clock.after(hintMs, () => timeout.abort())
      const either = AbortSignal.any([signal, timeout.signal])
      try {
        for (const [index, form] of [...forms.entries()].slice(first)) {
          try {
            const hint = await queryForm(form, call, either)
            prefer(index)
            return hint
          } catch (error) {
            // A call that fails or is slow does not show that the upstream lacks the method.
            if (either.aborted || !isUnsupportedForm(error)) return null
          }
        }
        unsupportedInARow += 1
        if (unsupportedInARow >= unsupportedMax) prefer(forms.length)
        return null
      } finally {
        stop()
      }
    },
  }

  function prefer(index: number): void {
    unsupportedInARow = 0
    if (index === first) return
    first = index
    retryAt = clock.monotonic() + retryMs
  }
}

/** True if the upstream does not support the form: unknown method, refused parameter, or a reply of another shape. */
function isUnsupportedForm(error: unknown): boolean {
  if (!(error instanceof Fault)) return true
  return error.code === 'no_method' || error.upstreamError?.code === invalidParams
}

/** Removes the prices, so that the hint does not depend on the sender's funds. */
function withoutPrices(request: CallRequest): CallRequest {
  const { gasPrice: _, maxFeePerGas: __, maxPriorityFeePerGas: ___, ...rest } = request
  return rest
}

/** The overrides of the call, plus funds for its sender. */
function fundedOverrides({ from }: CallRequest, overrides: readonly StateOverride[]) {
  const json = stateOverridesJson(overrides)
  const sender = toHex(from ?? new Uint8Array(20))
  return { ...json, [sender]: { ...json[sender], balance: richBalance } }
}

const addressText = /^0x[0-9a-fA-F]{40}$/
const wordText = /^0x[0-9a-fA-F]{64}$/

/** Throws for a reply of another shape. */
function readAccessList(reply: unknown): readonly AccessListEntry[] {
  const { accessList } = reply as { readonly accessList: readonly unknown[] }
  return accessList.slice(0, entriesMax).flatMap((entry) => {
    const { address, storageKeys } = entry as Record<string, unknown>
    return entryOf(address, storageKeys)
  })
}

/** The same for accounts by address, each with its slots by position. */
function readPrestate(reply: unknown): readonly AccessListEntry[] {
  return Object.entries(reply as object)
    .slice(0, entriesMax)
    .flatMap(([address, account]) => {
      const { storage } = account as { readonly storage?: unknown }
      return entryOf(address, Object.keys(storage ?? {}))
    })
}

function entryOf(address: unknown, storageKeys: unknown): readonly AccessListEntry[] {
  if (typeof address !== 'string' || !addressText.test(address)) return []
  const keys = Array.isArray(storageKeys) ? (storageKeys as readonly unknown[]) : []
  const slots = keys
    .slice(0, entriesMax)
    .filter((key) => typeof key === 'string' && wordText.test(key))
  return [{ address: fromHex(address), storageKeys: slots.map((word) => fromHex(word as string)) }]
}
