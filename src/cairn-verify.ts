// The verifier in one file: what `cairn verify` does, without Cairn. `npm run build` bundles it with all it needs into
// dist/cairn-verify.mjs, which runs wherever Node does, and never opens a connection.
// Tested by test/verifier.test.ts
import { parseArgs } from 'node:util'
import { checkBundle, describeCheck, jsonOf } from './cli/check-bundle.ts'
import { UsageError } from './cli/usage-error.ts'

const usage = `node cairn-verify.mjs <bundle.json> --block <hash> [--method <name> --params <json>] [--result <json>]
                     [--network <name>] [--blob-fraction <number>] [--genesis <file>] [--json]

Proves an answer of a Cairn server from its bundle, or from a whole reply with one (- is standard input), and from nothing else but the
block hash that you trust. Exit code: 0 proved, 1 not proved, 2 wrong usage.
`

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      block: { type: 'string' },
      method: { type: 'string' },
      params: { type: 'string' },
      result: { type: 'string' },
      network: { type: 'string' },
      'blob-fraction': { type: 'string' },
      genesis: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  const [file, ...more] = positionals
  if (values.help === true) {
    process.stdout.write(usage)
    return 0
  }
  if (file === undefined || more.length > 0) throw new UsageError('which bundle? See --help')
  const { block, method, params, result, network, genesis, 'blob-fraction': blobFraction } = values
  const input = { block, method, params, result, network, genesis, blobFraction }
  const options = Object.fromEntries(Object.entries(input).filter(([, text]) => text !== undefined))
  const checked = await checkBundle(file, options)
  const text =
    values.json === true
      ? JSON.stringify(jsonOf(checked))
      : describeCheck(checked, method !== undefined)
  process.stdout.write(`${text}\n`)
  return checked.proved ? 0 : 1
}

try {
  process.exitCode = await run()
} catch (thrown) {
  process.stderr.write(
    `cairn-verify: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
  )
  process.exitCode = isUsage(thrown) ? 2 : 1
}

function isUsage(thrown: unknown): boolean {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined
  return thrown instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS') === true
}
