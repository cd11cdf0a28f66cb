// `POST /accounts/{account}/keys/{key}/try`: dry run of a request. Returns the rule that refuses it, and its price.
// Tested by src/admin/dry-run.test.ts
import { isIP } from 'node:net'
import { z } from 'zod'
import { fromHex } from '../../../base/hex.ts'
import type { DryRunResult } from '../../dry-run.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from '../server/get-status.ts'
import { keyOf, keyPath } from './key-schema.ts'
import { time } from '../../time-schema.ts'

const header = z.string().max(1024)

const input = z.strictObject({
  ...keyPath,
  face: z.enum(['rpc', 'files']).default('rpc'),
  /** A JSON-RPC method, or the path of an IPFS command such as `pin/add`. */
  method: z.string().min(1).max(256),
  /** Network of the JSON-RPC API; the default one if absent. */
  network: z.string().max(64).optional(),
  params: z.array(z.unknown()).max(64).optional(),
  /** Instead of params: the accounts that the call would concern. */
  addresses: z
    .array(z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected 0x and 40 hex digits'))
    .max(100)
    .optional(),
  /** Body size of an upload. */
  bodyBytes: z.int().min(0).optional(),
  /** The request carries the correct secret. */
  secret: z.boolean().default(false),
  jwt: z.string().max(8_192).optional(),
  origin: header.optional(),
  userAgent: header.optional(),
  /** Client address; its allowlist is skipped if absent. */
  ip: z
    .string()
    .max(64)
    .refine((text) => isIP(text) !== 0, 'expected an IP address')
    .optional(),
})

const output = z.object({
  passes: z.boolean(),
  /** Price of the request, refused or not. */
  units: z.int(),
  refusal: z
    .object({
      code: z.string(),
      message: z.string(),
      /** HTTP status for a single call, not in a batch. */
      status: z.int(),
      /** The refusing setting and its owner; null if no setting refuses the request. */
      rule: z
        .object({
          setting: z.string(),
          of: z.enum(['key', 'account', 'server', 'jwt', 'request']),
        })
        .nullable(),
      /** Null: waiting does not help. */
      waitSeconds: z.int().nullable(),
    })
    .nullable(),
  /** Allowlists that could refuse it, skipped because the description lacks the value. */
  unjudged: z.array(z.enum(['allowIps', 'allowAddresses'])),
  /** Remaining units of the key; null = no limit. */
  left: z
    .object({ atOnce: z.number().nullable(), today: z.number().nullable(), resetsAt: time })
    .nullable(),
})

export const tryKey = {
  id: 'tryKey',
  method: 'POST',
  path: '/accounts/{account}/keys/{key}/try',
  role: 'member',
  summary: 'Dry run of a request: the rule that refuses it, its price, the remaining units.',
  input,
  output,
  audit: () => null,
  async run({ account, key, ip, ...request }, { accounts, tryRequest }) {
    await keyOf(accounts, account, key)
    if (tryRequest === null) throw noServer()
    const { secret, jwt, origin, userAgent, method, network, params, addresses } = request
    const shared = { accountId: account, keyId: key, secret, jwt, origin, userAgent, address: ip }
    const verdict = await tryRequest(
      request.face === 'files'
        ? { ...shared, face: 'files', method, bodyBytes: request.bodyBytes }
        : {
            ...shared,
            face: 'rpc',
            method,
            network: network ?? null,
            params,
            addresses: addresses?.map(fromHex),
          },
    )
    return show(verdict)
  },
} satisfies JsonOperation<typeof input, typeof output>

function show({ units, refusal, unjudged, left }: DryRunResult) {
  return { passes: refusal === null, units, refusal, unjudged: [...unjudged], left }
}
