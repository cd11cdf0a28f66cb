// `cairn init`: asks the few questions that matter and writes a settings file with every setting in it.
// Nothing is written before the last answer, and then the whole file at once.
// Tested by src/cli/init.test.ts
import type { Command } from 'commander'
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { ConfigError } from '../config/config-error.ts'
import { leaves, loadConfig } from '../config/config.ts'
import type { Leaf } from '../config/leaf.ts'
import type { Context, SharedOptions } from './context.ts'
import { askText, type Questions } from './questions.ts'
import { print } from './report.ts'
import { writeSettings } from './settings-text.ts'
import { addSharedOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

type Options = SharedOptions & {
  readonly file?: string
  readonly yes?: true
  readonly force?: true
}

/** The settings that are asked for, in this order; all others are in the file with their defaults. */
const asked: readonly string[] = [
  'dataDir',
  'http.host',
  'http.port',
  'chain.name',
  'chain.genesisFile',
  'card.adapter',
  'rpc.requestMs',
  'rpc.batchItemsMax',
  'files.uploadBytesMax',
  'store.bytesMax',
]
/** Wrong answers to one question before a dialogue is given up. */
const triesMax = 5

export function defineInit(command: Command, context: Context): void {
  addSharedOptions(command)
    .option('--file <file>', 'settings file to write (./cairn.yaml)')
    .option('--yes', 'take every default, ask nothing')
    .option('--force', 'write over a file that is there')
    .addHelpText(
      'after',
      `
Examples:
  cairn init
  cairn init --yes --file /etc/cairn.yaml --data-dir /var/lib/cairn
  printf '%s\\n' ./data 127.0.0.1 8600 '' '' '' '' '' '' '' | cairn init

An empty answer takes the default. Without a terminal, answers are the lines of standard input.`,
    )
    .action((options: Options) => init(context, options))
}

async function init(context: Context, options: Options): Promise<void> {
  const file = options.file ?? options.config ?? 'cairn.yaml'
  const force = options.force === true
  if (!force && existsSync(file)) throw new Error(taken(file))
  const given = new Map(options.dataDir === undefined ? [] : [['dataDir', options.dataDir]])
  const chosen = options.yes === true ? given : await askAll(context, given)
  writeWhole(file, writeSettings(leaves, chosen), force)
  const text = `${file} is written. Next:
  cairn doctor --config ${file}
  cairn start --config ${file}`
  print(context, options.json, { file, settings: Object.fromEntries(chosen) }, text)
}

async function askAll(
  context: Context,
  given: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, unknown>> {
  const questions = context.openQuestions?.() ?? askText(await context.readInput())
  const patient = context.openQuestions !== undefined
  const chosen = new Map(given)
  try {
    for (const path of asked) {
      const leaf = leaves.find((one) => one.path === path)
      if (leaf === undefined || given.has(path)) continue
      const value = await askOne({ questions, context, leaf, tries: patient ? triesMax : 1 })
      if (value !== leaf.initial) chosen.set(path, value)
    }
  } finally {
    questions.close()
  }
  return chosen
}

async function askOne(parts: {
  readonly questions: Questions
  readonly context: Context
  readonly leaf: Leaf
  readonly tries: number
}): Promise<unknown> {
  const { questions, context, leaf, tries } = parts
  const choices = leaf.choices.length === 0 ? '' : ` (${leaf.choices.join(' or ')})`
  const shown = typeof leaf.initial === 'string' ? leaf.initial : JSON.stringify(leaf.initial)
  for (let left = tries; ; left--) {
    const question = `${leaf.description}\n  ${leaf.path}${choices} [${shown}]: `
    const answer = await questions.ask(question)
    if (answer === '' || answer === shown) return leaf.initial
    try {
      return await judge(leaf, answer)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      if (left <= 1) throw new UsageError(error.message, { cause: error })
      context.err(`  ${error.message}\n`)
    }
  }
}

/** The answer as the settings table reads it. Throws ConfigError. */
async function judge(leaf: Leaf, answer: string): Promise<unknown> {
  // Rules between settings are for the whole file: a genesis alone breaks none.
  const flags = { [leaf.path]: { flag: 'the answer', text: answer } }
  const { config } = await loadConfig({ file: null, env: {}, flags })
  return leaf.path
    .split('.')
    .reduce<unknown>((section, name) => (section as Record<string, unknown>)[name], config)
}

// A new name for a whole file: who reads it sees all of it or nothing, and Ctrl-C leaves nothing half written.
function writeWhole(file: string, text: string, force: boolean): void {
  const fresh = `${file}.${randomUUID()}.new`
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true })
    if (force) renameSync(fresh, file)
    else linkSync(fresh, file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
    if (code === 'EEXIST') throw new Error(taken(file), { cause: error })
    throw new Error(`cannot write ${file} (${code})`, { cause: error })
  } finally {
    rmSync(fresh, { force: true })
  }
}

function taken(file: string): string {
  return `${file} is there already: choose another with --file, or --force to write over it`
}
