// Schemas of recorded requests.
// Tested by test/admin/inspector.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import { outcomeClasses } from '../../../base/outcome-class.ts'
import type { Caller } from '../../../access/accounts/caller.ts'
import type { InspectedRequest } from '../../../pipeline/inspector/inspected-request.ts'
import type { InspectedFilter } from '../../../pipeline/inspector/inspector.ts'
import type { InspectorAccess } from '../../inspector-access.ts'
import { isOperator } from '../../principal.ts'
import type { AdminCall } from '../../admin-operation.ts'
import { keyPath } from '../keys/key-schema.ts'

/** In the path of every operation on one request. Path members are texts. */
export const ofRequest = { ...keyPath, request: z.coerce.number<number>().int().min(0) }

/** Filter of requests; all given members must match. */
export const filterInput = {
  /** Method of one of its calls. */
  method: z.string().max(128).optional(),
  /** A code of docs/reference/errors.md, `ok`, or `failed`: anything but ok. */
  outcome: z.string().max(64).optional(),
  /** Class of the outcome. */
  class: z.enum(outcomeClasses).optional(),
  /** Contained in a method, an outcome, an error code or the client address, or the whole request ID; case-insensitive. */
  text: z.string().max(128).optional(),
  network: z.string().max(64).optional(),
  /** Minimum duration in milliseconds. */
  msMin: z.coerce.number<number>().min(0).optional(),
}

const body = z.object({ text: z.string().nullable(), bytes: z.int(), cut: z.boolean() })

const shared = {
  id: z.int(),
  /** As in `x-request-id` of the reply; of a WebSocket, that of its handshake. */
  requestId: z.string().nullable(),
  /** Milliseconds since 1970 UTC. */
  time: z.int(),
  face: z.enum(['rpc', 'files']),
  transport: z.enum(['http', 'websocket']),
  network: z.string().nullable(),
  method: z.string(),
  batch: z.int().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
  errorCode: z.int().nullable(),
  failed: z.int(),
  status: z.int().nullable(),
  units: z.number(),
  bytesIn: z.int(),
  bytesOut: z.int(),
  ms: z.number(),
  verified: z.string().nullable(),
  head: z.string().nullable(),
  block: z.object({ hash: z.string(), number: z.string() }).nullable(),
  upstreams: z.array(z.string()).readonly(),
  origin: z.string().nullable(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
}

/** A request in lists and events. */
export const inspectedRow = z.object(shared)

/** A request with all recorded parts. */
export const inspectedWhole = z.object({
  ...shared,
  calls: z
    .array(
      z.object({
        method: z.string(),
        outcome: z.string(),
        reason: z.string().nullable(),
        errorCode: z.int().nullable(),
        units: z.number(),
        params: body,
        result: body.nullable(),
      }),
    )
    .readonly(),
  timeline: z
    .array(
      z.object({
        step: z.string(),
        name: z.string(),
        startMs: z.number(),
        ms: z.number(),
        count: z.int(),
        outcome: z.string(),
      }),
    )
    .readonly(),
  stepsLeft: z.int(),
})

/** Removes the names of upstreams, which only operators see, because they reveal how the server reaches a network. */
export function withoutUpstreams<
  Request extends {
    readonly upstreams: readonly string[]
    readonly timeline?: readonly { readonly name: string }[]
  },
>(request: Request, { actor }: Pick<AdminCall, 'actor'>): Request {
  if (actor !== null && isOperator(actor)) return request
  const timeline = request.timeline?.map((step) => ({ ...step, name: '' }))
  return { ...request, upstreams: [], ...(timeline === undefined ? {} : { timeline }) }
}

/** There is no running server. */
export function absentInspector(): Fault {
  return new Fault('absent', { detail: 'requests are recorded in the memory of a running server' })
}

/** Throws `absent` for a key of another account, and if no server runs. */
export async function inspectingOf(
  { inspecting }: AdminCall,
  { account, key }: { readonly account: string; readonly key: string },
): Promise<InspectorAccess & { readonly caller: Caller }> {
  if (inspecting === null) throw absentInspector()
  const caller = await inspecting.callerOf(account, key)
  if (caller === null) throw new Fault('absent', { detail: 'there is no such key that works' })
  return { ...inspecting, caller }
}

/** Throws `absent` if it was not recorded, or was dropped. */
export async function requestOf(
  { inspector, caller }: Awaited<ReturnType<typeof inspectingOf>>,
  id: number,
): Promise<InspectedRequest> {
  const request = await inspector.find(caller.keyId, id)
  if (request === null) throw new Fault('absent', { detail: 'that request is not recorded' })
  return request
}

/** The filter in an operation's input. */
export function filterOf(
  input: Readonly<z.output<z.ZodObject<typeof filterInput>>>,
): InspectedFilter {
  const { method, outcome, text, network, msMin } = input
  return { method, outcome, class: input.class, text, network, msMin }
}
