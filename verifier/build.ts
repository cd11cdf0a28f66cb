// Bundles src/cairn-verify.ts and its dependencies into one file: node verifier/build.ts [outfile]
// Recovers senders with @noble/curves instead of the server's library: pure JavaScript, and a second implementation.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The only function of tiny-secp256k1 that is used, implemented with the curves of micro-eth-signer. */
const recoverSource = `
import { secp256k1 } from '@noble/curves/secp256k1.js'
export function recover(hash, signature, recoveryId, compressed) {
  const recoverable = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryId)
  return recoverable.recoverPublicKey(hash).toBytes(compressed)
}
`

const withoutWasmFile: Plugin = {
  name: 'recover in JavaScript',
  setup(building) {
    building.onResolve({ filter: /^tiny-secp256k1$/ }, () => ({
      path: 'recover',
      namespace: 'own',
      sideEffects: false,
    }))
    building.onLoad({ filter: /./, namespace: 'own' }, () => ({
      contents: recoverSource,
      resolveDir: join(root, 'node_modules/micro-eth-signer'),
    }))
  },
}

/** Calls use one point of the trusted setup of blob proofs, not all 3 MB of it. */
const withOnePoint: Plugin = {
  name: 'one point of the setup',
  setup(building) {
    building.onResolve({ filter: /precompiles\/blob-crypto\.ts$/ }, () => ({
      path: join(root, 'src/evm/precompiles/point-evaluation.ts'),
    }))
  },
}

/** The EVM's libraries print debug output with this package, which requires a terminal. */
const withoutDebugOutput: Plugin = {
  name: 'no debugging output',
  setup(building) {
    building.onResolve({ filter: /^debug$/ }, () => ({ path: 'debug', namespace: 'silent' }))
    building.onLoad({ filter: /./, namespace: 'silent' }, () => ({
      contents: 'export default () => Object.assign(() => {}, { enabled: false })',
    }))
  },
}

/** Writes `outfile`: the program, followed by the licences of the bundled packages. */
export async function buildVerifier(outfile: string): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cairn-verify.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    metafile: true,
    legalComments: 'none',
    plugins: [withoutWasmFile, withOnePoint, withoutDebugOutput],
    logLevel: 'warning',
    write: false,
  })
  const [program] = outputFiles
  if (program === undefined) throw new Error('esbuild wrote nothing')
  await mkdir(dirname(outfile), { recursive: true })
  await writeFile(outfile, `${head}${program.text}${licences(bundledIn(metafile))}`)
}

const head = `#!/usr/bin/env node
// Proves answers of a Cairn server from their bundles, offline: node cairn-verify.mjs --help
// Made from src/cairn-verify.ts of Cairn (MIT). The licences of bundled packages are at the end of this file.
`

/** Modules that contribute code to the program. */
function bundledIn({ outputs }: Metafile): readonly string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    ),
  )
}

function licences(inputs: readonly string[]): string {
  const folders = new Set(
    inputs.flatMap((path) => {
      const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
      return folder === undefined ? [] : [join(root, folder)]
    }),
  )
  const packages = [...folders].toSorted().map((folder) => {
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly version: string
      readonly license: string
    }
    const names = ['LICENSE', 'LICENSE.md', 'license', 'license.md']
    return { ...about, file: names.map((it) => join(folder, it)).find(existsSync) ?? null }
  })
  const texts = packages.map(({ name, version, license, file }) => {
    // The Mozilla licence has the same text for every package; one package does not include it.
    const same = packages.find((one) => one.license === license && one.file !== null)?.file ?? null
    const text = file ?? (license === 'MPL-2.0' ? same : null)
    if (text === null) throw new Error(`${name} has no licence file`)
    const lines = readFileSync(text, 'utf8').trim().split('\n')
    return [`${name} ${version}`, '', ...lines].map((line) => `// ${line}`.trimEnd()).join('\n')
  })
  return `\n${texts.join('\n//\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildVerifier(process.argv[2] ?? join(root, 'dist/cairn-verify.mjs'))
}
