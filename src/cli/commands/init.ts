// `cairn init`: asks a few questions and writes a settings file that contains every setting. It writes the whole file after the
// last answer.
import type { Command } from 'commander'
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { ConfigError } from '../../config/config-error.ts'
import { settingDefinitions, loadConfig } from '../../config/config.ts'
import { validateNetwork } from '../../config/validate-network.ts'
import type { SettingDefinition } from '../../config/setting-definition.ts'
import { findChainId } from '../../config/network-variable.ts'
import { createFirstRunLink } from '../../server/open-access.ts'
import { asTyped } from '../typed-command.ts'
import type { Context, SharedOptions } from '../context.ts'
import { openData, showTime } from '../open-data.ts'
import { promptText, type Prompts } from '../prompts.ts'
import { print } from '../report.ts'
import { usualAdminUrl } from '../server-access.ts'
import { type ChosenNetwork, writeSettings } from '../settings-text.ts'
import { addSharedOptions } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'

type Options = SharedOptions & {
  readonly file?: string
  readonly yes?: true
  readonly force?: true
  readonly link?: true
}

/** The settings that the dialogue asks for, in this order; the file has defaults for all others. */
const firstQuestions: readonly string[] = ['dataDir', 'http.host', 'http.port']
/** Asked if no upstreams are given, so that the embedded chain is the only network. */
const chainQuestions: readonly string[] = ['chain.name', 'chain.genesisFile']
const lastQuestions: readonly string[] = [
  'card.adapter',
  'rpc.requestMs',
  'rpc.batchItemsMax',
  'files.uploadBytesMax',
  'store.bytesMax',
]
/** Wrong answers to one question before the dialogue ends with an error. */
const triesMax = 5

export function defineInit(command: Command, context: Context): void {
  addSharedOptions(command)
    .option('--file <file>', 'settings file to write (./cairn.yaml)')
    .option('--yes', 'use all defaults without questions')
    .option('--force', 'overwrite an existing file')
    .option('--link', 'print a one-time link that creates the first operator; write no file')
    .addHelpText(
      'after',
      `
Examples:
  cairn init
  cairn init --link
  cairn init --yes --file /etc/cairn.yaml --data-dir /var/lib/cairn
  printf '%s\\n' ./data 127.0.0.1 8600 '' '' '' '' '' '' '' '' n | cairn init

An empty answer selects the default. Without a terminal, cairn init reads one answer per line from standard input.`,
    )
    .action((options: Options) =>
      options.link === true ? printLink(context, options) : init(context, options),
    )
}

/** Creates a new link each time; the previous one is invalid then. */
async function printLink(context: Context, options: Options): Promise<void> {
  await using data = await openData(context, options, { make: true })
  const url = await usualAdminUrl(context, options)
  const made = await createFirstRunLink(data.identity, data.accounts, url)
  if (made === null) {
    throw new Error(
      'an operator already exists: cairn people invite --operator prints a link for another one',
    )
  }
  const expires = showTime(made.expires)
  const text = `One-time link for the first operator, valid until ${expires}:\n  ${made.link}`
  print(context, options.json, { link: made.link, expires }, text)
}

async function init(context: Context, options: Options): Promise<void> {
  const file = options.file ?? options.config ?? 'cairn.yaml'
  const force = options.force === true
  if (!force && existsSync(file)) throw new Error(existsMessage(file))
  const preset = new Map(options.dataDir === undefined ? [] : [['dataDir', options.dataDir]])
  const { chosen, network } =
    options.yes === true ? { chosen: preset, network: null } : await askAll(context, preset)
  writeWhole(file, writeSettings(settingDefinitions, chosen, network), force)
  const text = asTyped(
    context,
    `Settings written to ${file}. Next:
  cairn doctor --config ${file}
  cairn start --config ${file}`,
  )
  const named = network === null ? {} : { network: network.name }
  print(context, options.json, { file, settings: Object.fromEntries(chosen), ...named }, text)
}

type Answers = {
  readonly chosen: ReadonlyMap<string, unknown>
  readonly network: ChosenNetwork | null
}

async function askAll(context: Context, preset: ReadonlyMap<string, unknown>): Promise<Answers> {
  const questions = context.openQuestions?.() ?? promptText(await context.readInput())
  const tries = context.openQuestions === undefined ? 1 : triesMax
  const chosen = new Map(preset)
  const askThese = async (paths: readonly string[]) => {
    for (const path of paths) {
      const leaf = settingDefinitions.find((one) => one.path === path)
      if (leaf === undefined || preset.has(path)) continue
      const value = await askOne({ questions, context, leaf, tries })
      if (value !== leaf.initial) chosen.set(path, value)
    }
  }
  try {
    await askThese(firstQuestions)
    const network = await askNetwork({ questions, context, tries })
    if (network === null) await askThese(chainQuestions)
    await askThese(lastQuestions)
    const mode = await askNetworkMode({ questions, context, tries })
    if (mode !== 'off') chosen.set('ipfsNetwork.mode', mode)
    return { chosen, network }
  } finally {
    questions.close()
  }
}

type Dialog = { readonly questions: Prompts; readonly context: Context; readonly tries: number }

async function askOne({
  leaf,
  ...dialog
}: Dialog & { readonly leaf: SettingDefinition }): Promise<unknown> {
  const choices = leaf.choices.length === 0 ? '' : ` (${leaf.choices.join(' or ')})`
  const shown = typeof leaf.initial === 'string' ? leaf.initial : JSON.stringify(leaf.initial)
  const question = `${leaf.description}\n  ${leaf.path}${choices} [${shown}]: `
  return askUntil(dialog, question, async (answer) =>
    answer === '' || answer === shown ? leaf.initial : validateSetting(leaf, answer),
  )
}

/** The answer, parsed by `read`. Asks again after a wrong answer, up to `triesMax` times. */
async function askUntil<Value>(
  { questions, context, tries }: Dialog,
  question: string,
  read: (answer: string) => Promise<Value>,
): Promise<Value> {
  for (let left = tries; ; left--) {
    const answer = await questions.ask(question)
    try {
      return await read(answer)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      if (left <= 1) throw new UsageError(error.message, { cause: error })
      context.err(`  ${error.message}\n`)
    }
  }
}

/** The setting is off by default. The question states what a search discloses, so its default is yes. */
async function askNetworkMode(dialog: Dialog): Promise<unknown> {
  const leaf = settingDefinitions.find(({ path }) => path === 'ipfsNetwork.mode')
  const question =
    'Fetch missing content from the IPFS network? Routers and peers learn its CID.\n  ipfsNetwork.mode: fetch [Y/n]: '
  return askUntil(dialog, question, async (answer) => {
    if (leaf === undefined || /^(y|yes)?$/i.test(answer)) return 'fetch'
    return /^no?$/i.test(answer) ? leaf.initial : validateSetting(leaf, answer)
  })
}

/** Upstream nodes and their network; null: none, so the embedded chain is served. */
async function askNetwork(dialog: Dialog): Promise<ChosenNetwork | null> {
  const urls = await askUntil(
    dialog,
    'URLs of upstream nodes, separated by commas; none: the embedded chain.\n  networks.upstreams []: ',
    async (answer) => (answer === '' ? [] : validateNetwork({ urls: answer })),
  )
  if (urls.length === 0) return null
  const name = await askUntil(
    dialog,
    'Name of the network of these nodes.\n  networks.name [mainnet]: ',
    async (answer) => {
      await validateNetwork({ name: answer === '' ? 'mainnet' : answer })
      return answer === '' ? 'mainnet' : answer
    },
  )
  const usual = findChainId(name)
  const chainId = await askUntil(
    dialog,
    `Chain ID of this network.\n  networks.chainId${usual === null ? '' : ` [${usual}]`}: `,
    async (answer) => {
      const chainId = answer === '' && usual !== null ? String(usual) : answer
      await validateNetwork({ chainId })
      return Number(chainId)
    },
  )
  return { name, chainId, urls }
}

/** Parses the answer with the settings table. Throws ConfigError. */
async function validateSetting(leaf: SettingDefinition, answer: string): Promise<unknown> {
  // Rules between settings apply to the whole file: a genesis file alone breaks none.
  const flags = { [leaf.path]: { flag: 'the answer', text: answer } }
  const { config } = await loadConfig({ file: null, env: {}, flags })
  return leaf.path
    .split('.')
    .reduce<unknown>((section, name) => (section as Record<string, unknown>)[name], config)
}

// Writes a temporary file and renames it: readers see the whole file or none, and Ctrl-C leaves no partial file.
function writeWhole(file: string, text: string, force: boolean): void {
  const fresh = `${file}.${randomUUID()}.new`
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true })
    if (force) renameSync(fresh, file)
    else linkSync(fresh, file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
    if (code === 'EEXIST') throw new Error(existsMessage(file), { cause: error })
    throw new Error(`cannot write ${file} (${code})`, { cause: error })
  } finally {
    rmSync(fresh, { force: true })
  }
}

function existsMessage(file: string): string {
  return `${file} already exists: use --file to choose another name, or --force to overwrite it`
}
