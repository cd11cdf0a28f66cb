// The members of `files.sources` in the settings file: types, defaults, limits, what each means and one example.
// Refusals and documentation are made from it.
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
        'A trustless HTTP gateway, another Cairn among them: asked `<url>/ipfs/<cid>?format=raw`. What is secret in it is never shown.',
      example: 'url: https://gateway.example',
      secret: true,
    }),
  name: upstreamNameSchema.optional().meta({
    description: 'How it is called in logs and commands; not given: its host and port.',
    example: 'name: other-cairn',
  }),
  headers: headersSchema.meta({
    description: 'Headers sent with every request.',
    example: 'headers: {authorization: "${env:GATEWAY_TOKEN}"}',
    secret: true,
  }),
  concurrency: z.int().min(1).max(256).default(16).meta({
    description: 'Blocks that are asked for at once; more wait.',
    example: 'concurrency: 16',
  }),
  timeoutMs: z.int().min(1).max(600_000).default(10_000).meta({
    description: 'How long one block may take.',
    example: 'timeoutMs: 10000',
  }),
  blockBytesMax: z
    .int()
    .min(kib)
    .max(4 * mib)
    .default(2 * mib)
    .meta({
      description:
        'Longest block that is read; 4 MiB where blocks were put with `allow-big-block`.',
      example: 'blockBytesMax: 2097152',
    }),
})

/** One of `files.sources`, checked. `headers`: names in lower case. */
export type SourceConfig = Readonly<Omit<z.output<typeof sourceSchema>, 'name' | 'headers'>> & {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}
