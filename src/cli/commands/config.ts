// `cairn config check|print`: validates the settings, or prints each setting with its origin.
// Tested by src/cli/program.test.ts
import { access, constants, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { describeErrno } from '../../base/describe-errno.ts'
import { settingDefinitions, type LoadedConfig } from '../../config/config.ts'
import { ConfigError, refuse } from '../../config/config-error.ts'
import { type ConfigIssue, wrongAt } from '../../config/config-issue.ts'
import { embeddedChain } from '../../config/settings.ts'
import { readTlsCertificate } from '../../http/tls-certificate.ts'
import { denyPathsOf } from '../../server/deny-lists.ts'
import { tlsFilesOf } from '../../server/open-access.ts'
import { showNetworks, showSettings, showSources } from '../../config/show.ts'
import type { Context, SharedOptions } from '../context.ts'
import { createPaint } from '../terminal-colors.ts'
import { FoundBad, print, table, visible } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'

export function defineConfig(command: Command, context: Context): void {
  addSharedOptions(
    command.command('check').description('validate the settings and list all errors'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  cairn config check --config cairn.yaml && cairn start --config cairn.yaml',
    )
    .action((options: SharedOptions) => check(context, options))
  addSharedOptions(
    command.command('print').description('print every setting, with secrets redacted'),
  )
    .addHelpText('after', '\nExample:\n  CAIRN_HTTP_PORT=8600 cairn config print --json')
    .action(async (options: SharedOptions) => {
      const loaded = await settingsOf(context, options)
      const settings = [
        ...showSettings(settingDefinitions, loaded),
        ...showSources(loaded),
        ...showNetworks(loaded),
      ]
      const rows = settings.map(({ path, value, origin }) => [path, showValue(value), origin])
      const text = table(['setting', 'value', 'from'], rows, '')
      print(context, options.json, { settings }, text)
    })
}

async function check(context: Context, options: SharedOptions): Promise<void> {
  try {
    const loaded = await settingsOf(context, options)
    refuse(await unreadableFiles(loaded))
    refuse(await unusableCertificate(loaded))
    const { ignored } = loaded
    for (const name of ignored) context.err(`cairn: ${name} is not a setting and is ignored.\n`)
    const found = { ok: true, ignored, mistakes: [] }
    print(context, options.json, found, 'The settings are valid.')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { mistakes } = error
    print(context, options.json, { ok: false, mistakes }, describe(context, mistakes))
    throw new FoundBad()
  }
}

/** Finds settings that name a file which `start` cannot read. */
async function unreadableFiles({ config, origins }: LoadedConfig): Promise<readonly ConfigIssue[]> {
  const chain = embeddedChain(config)
  const named = [
    ...denyPathsOf(config.gateway).map(
      (file) =>
        [
          file === config.gateway.denyFile ? 'gateway.denyFile' : 'gateway.denyFiles',
          file,
        ] as const,
    ),
    ['chain.genesisFile', chain?.genesisFile ?? null],
    ['chain.blocksFile', chain?.blocksFile ?? null],
    ['http.tls.certificateFile', config.http.tls.certificateFile],
    ['http.tls.keyFile', config.http.tls.keyFile],
  ] as const
  const found = named.map(async ([path, file]): Promise<ConfigIssue | null> => {
    if (file === null) return null
    try {
      const info = await stat(file)
      // A deny list may be a folder of lists.
      const isList = path.startsWith('gateway.deny') && info.isDirectory()
      if (info.isFile() || isList) return await access(file, constants.R_OK).then(() => null)
      return wrongFile(path, file, 'not a file')
    } catch (error) {
      return wrongFile(path, file, describeErrno(error))
    }
  })
  const wrongFile = (path: string, file: string, why: string): ConfigIssue =>
    wrongAt(
      origins.get(path)?.where ?? path,
      `${path} is ${JSON.stringify(file)}, expected a readable file: ${why}`,
    )
  return (await Promise.all(found)).filter((mistake) => mistake !== null)
}

/** Finds a readable certificate and key that do not belong together. */
async function unusableCertificate({
  config,
  origins,
}: LoadedConfig): Promise<readonly ConfigIssue[]> {
  const files = tlsFilesOf(config.http)
  if (files === null) return []
  try {
    await readTlsCertificate(files)
    return []
  } catch (error) {
    const where = origins.get('http.tls.certificateFile')?.where ?? 'http.tls.certificateFile'
    return [wrongAt(where, (error as Error).message)]
  }
}

function describe(context: Context, mistakes: readonly ConfigIssue[]): string {
  const paint = createPaint(context, 'out')
  const lines = mistakes.map(
    ({ text, fix }) => `${paint('red', 'wrong')}  ${visible(text)}\n       fix: ${visible(fix)}`,
  )
  const count = `${mistakes.length} ${mistakes.length === 1 ? 'mistake' : 'mistakes'}`
  return [...lines, `${count}: the settings are invalid.`].join('\n')
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
