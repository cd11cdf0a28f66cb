// The members of `files.sources` in the settings file: type, default, limit, description and example. Error messages and
// documentation are generated from it.
// Tested by src/config/sources.test.ts
import { z } from 'zod'
import { headersSchema, httpUrlSchema, upstreamNameSchema } from './network-schema.ts'

const kib = 1024
const mib = 1024 * kib

export const sourcesMax = 16

export const sourceSchema = z.strictObject({
  url: httpUrlSchema
    .refine((url) => !URL.canParse(url) || !/\/ipfs\/?$/.test(new URL(url).pathname), {
      message: 'expected the URL without /ipfs, which Cairn adds',
    })
    .meta({
      description:
        'URL of a trustless HTTP gateway, of another Cairn, or of the RPC API of a Kubo node (`speaks: kubo`). Secrets in it are redacted.',
      example: 'url: https://gateway.example',
      secret: true,
    }),
  speaks: z.enum(['gateway', 'kubo']).default('gateway').meta({
    description:
      'API of the source. `gateway`: `GET <url>/ipfs/<cid>?format=raw`. `kubo`: `POST <url>/api/v0/block/get`, of a Kubo node, which searches the IPFS network for the block.',
    example: 'speaks: gateway',
  }),
  name: upstreamNameSchema.optional().meta({
    description: 'Name in logs and commands. Default: host and port.',
    example: 'name: other-cairn',
  }),
  headers: headersSchema.meta({
    description: 'HTTP headers sent with every request.',
    example: 'headers: {authorization: "${env:GATEWAY_TOKEN}"}',
    secret: true,
  }),
  concurrency: z.int().min(1).max(256).default(16).meta({
    description: 'Concurrent block requests; further ones wait.',
    example: 'concurrency: 16',
  }),
  timeoutMs: z.int().min(1).max(600_000).default(10_000).meta({
    description: 'Time limit of one block request.',
    example: 'timeoutMs: 10000',
  }),
  blockBytesMax: z
    .int()
    .min(kib)
    .max(4 * mib)
    .default(2 * mib)
    .meta({
      description:
        'Maximum size of a block. Use 4 MiB if blocks were added with `allow-big-block`.',
      example: 'blockBytesMax: 2097152',
    }),
})

/** One of `files.sources`, validated. `headers`: names in lower case. */
export type SourceConfig = Readonly<Omit<z.output<typeof sourceSchema>, 'name' | 'headers'>> & {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}
