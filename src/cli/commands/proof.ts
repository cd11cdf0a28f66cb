// `cairn proof`: creates the proof bundle of a read, for `cairn verify`, from a running server or directly from the data folder,
// with the same code.
import type { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { createJsonRpcClient } from '../../chain/upstream/node/json-rpc-client.ts'
import { UpstreamError } from '../../chain/upstream/node/upstream-error.ts'
import { requestBundle } from '../../rpc/bundles/make-bundle.ts'
import { createRpcOperations } from '../../rpc/methods/index.ts'
import { parseBundle } from '../../rpc/bundles/proof-bundle.ts'
import { openStoredChain } from '../../server/open-chain.ts'
import type { Context, SharedOptions } from '../context.ts'
import { FoundBad } from '../report.ts'
import { noAnswer } from '../server-access.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'

type Options = SharedOptions & { readonly url?: string; readonly key?: string }

const timeoutMs = 60_000
const replyBytesMax = 64 * 1024 * 1024
const sendersMax = 10_000

export function defineProof(command: Command, context: Context): void {
  addSharedOptions(command)
    .argument('<method>', 'method with bundles (docs/reference/methods.md)')
    .argument('[params...]', 'parameters, each as JSON or as plain text')
    .option('--url <url>', 'running server, with or without /v3/<key> (or CAIRN_URL)')
    .option('--key <key>', 'API key, if the URL contains none (or CAIRN_KEY)')
    .addHelpText(
      'after',
      `
Examples:
  cairn proof eth_getBalance 0x391694e7e0b0cce554cb130d723a9d27458f9298 latest
  cairn proof eth_getBlockByNumber 0x0 false > bundle.json
  cairn proof eth_getStorageAt 0x295a70b2de5e3953354a6a8344e616ed314d7251 0x0 latest --url http://127.0.0.1:8545 --key <key>

Without a URL, Cairn reads the embedded chain from the data folder, with or without a running server. Prints the bundle.
The exit code is 1 if the bundle proves nothing.`,
    )
    .action(async (method: string, params: readonly string[], options: Options) => {
      const values = params.map(parseParam)
      const { url = context.env['CAIRN_URL'] } = options
      const bundle =
        url === undefined
          ? await askFolder(context, options, method, values)
          : await askServer(
              toEndpoint(url, options.key ?? context.env['CAIRN_KEY']),
              method,
              values,
            )
      context.out(`${JSON.stringify(bundle)}\n`)
      const parsed = parseBundle(bundle)
      if ('refused' in parsed) throw new Error(`the reply is not a bundle: ${parsed.refused}`)
      const { header, verified } = parsed.bundle
      if (header !== null) return
      context.err(
        `cairn: no proof: the answer is labelled ${verified ?? 'none'}, or ${method} has no bundles\n`,
      )
      throw new FoundBad()
    })
}

/** Parses JSON; bare words such as `0x1f` and `latest` are strings. */
function parseParam(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toEndpoint(text: string, key: string | undefined): string {
  if (!URL.canParse(text)) throw new UsageError(`--url is "${text}", expected http://<host>:<port>`)
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url is "${text}", expected http://<host>:<port>`)
  }
  if (!/\/v3(\/|$)/.test(url.pathname)) {
    if (key === undefined) throw new UsageError('no API key: set --key or CAIRN_KEY')
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v3/${encodeURIComponent(key)}`
  }
  url.searchParams.set('proof', '1')
  return url.href
}

async function askServer(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const client = createJsonRpcClient({
    url,
    headers: {},
    connections: 1,
    timeoutMs,
    replyBytesMax,
    clock: systemClock,
  })
  try {
    const options = { repeatable: true, member: 'proof' }
    const bundle = await client.call(method, params, options, new AbortController().signal)
    if (bundle === undefined) throw new Error('the server returned an answer without a bundle')
    return bundle
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError) || thrown.kind !== 'trouble') throw thrown
    throw noAnswer(url, thrown)
  } finally {
    await client.close()
  }
}

async function askFolder(
  context: Context,
  options: Options,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const operations = createRpcOperations({
    clientVersion: '',
    clock: systemClock,
    findSender: createSenderCache(sendersMax).find,
  })
  const operation = operations.get(method)
  if (operation?.bundle === undefined) throw new Error(`${method} has no bundles`)
  const { config } = await settingsOf(context, options)
  const { network, close } = openStoredChain(config)
  try {
    return await requestBundle(operation, params, network, new AbortController().signal)
  } finally {
    close()
  }
}
