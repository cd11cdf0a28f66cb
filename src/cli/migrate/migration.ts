// The result of a migration or dry run, as text for people and as JSON. Neither contains a key of a list.
// Tested by test/cli/migrate-from.test.ts
import type { CopiedPins } from '../import/pins.ts'
import { table, visible } from '../report.ts'
import { maskKeys } from './hosted-endpoints.ts'
import type { MovedAllowlists } from './move-allowlists.ts'
import type { MovedKeys } from './move-keys.ts'
import type { ScannedProject } from './scan-project.ts'

/** Null: not part of this run. */
export type Migration = {
  readonly ok: boolean
  readonly apply: boolean
  readonly write: boolean
  readonly keys: MovedKeys | null
  readonly allowlists: MovedAllowlists | null
  readonly pins: CopiedPins | null
  readonly project: ScannedProject | null
}

/** Maximum number of refused lines in the text; the JSON has all. */
const shownMax = 20

export function showMigration({
  ok,
  apply,
  write,
  keys,
  allowlists,
  pins,
  project,
}: Migration): object {
  return {
    ok,
    apply,
    write,
    ...(keys === null ? {} : { keys }),
    ...(allowlists === null ? {} : { allowlists }),
    ...(pins === null ? {} : { pins: pins.value }),
    ...(project === null ? {} : { project: maskedProject(project) }),
  }
}

function maskedProject({ files, changes, problems }: ScannedProject): object {
  return {
    files,
    changes: changes.flatMap(({ path, found }) =>
      found.map(({ line, before, after, advice }) => ({
        path,
        line,
        before: maskKeys(before),
        after: after === null ? null : maskKeys(after),
        advice,
      })),
    ),
    problems,
  }
}

export function describeMigration(migration: Migration): string {
  const { apply, write, keys, allowlists, pins, project } = migration
  const parts = [
    keys === null ? '' : describeKeys(keys, apply),
    allowlists === null ? '' : describeAllowlists(allowlists, apply),
    pins === null ? '' : `Pins\n${pins.text}`,
    project === null ? '' : describeProject(project, write),
    hintOf(migration),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function describeKeys({ keys, refused }: MovedKeys, apply: boolean): string {
  const fresh = keys.filter(({ state }) => state !== 'present').length
  const words = { import: 'would be imported', imported: 'imported', present: 'exists' } as const
  const rows = keys.map(({ line, prefix, name, state }) => [line, `${prefix}…`, name, words[state]])
  const createdKeys = keys.filter((key) => key.apiKeySecret !== undefined)
  const secrets = [
    'Cairn created a secret for keys without one. Save the secrets now; they are not shown again.',
    table(
      ['key', 'name', 'new secret'],
      createdKeys.map(({ prefix, name, apiKeySecret = '' }) => [`${prefix}…`, name, apiKeySecret]),
      '',
    ),
  ]
  return [
    `Keys: ${fresh} ${apply ? 'imported' : 'to import'}, ${keys.length - fresh} exist, ${refused.length} refused.`,
    table(['line', 'key', 'name', 'state'], rows, 'No keys.'),
    ...refusedLines(refused.map(({ line, reason }) => ({ place: `line ${line}`, reason }))),
    ...(createdKeys.length === 0 ? [] : secrets),
  ].join('\n')
}

function describeAllowlists(
  { added, present, keys, refused }: MovedAllowlists,
  apply: boolean,
): string {
  return [
    `Allowlists: ${added} entries ${apply ? 'added' : 'to add'}, ${present} exist, ${refused.length} refused.`,
    ...keys.flatMap(({ name, prefix, added: entries }) =>
      entries.map(({ list, entry }) => visible(`  ${prefix}… ${name}  ${list}  + ${entry}`)),
    ),
    ...refusedLines(refused),
  ].join('\n')
}

function refusedLines(
  refused: readonly { readonly place: string; readonly reason: string }[],
): readonly string[] {
  const more = refused.length - shownMax
  return [
    ...refused
      .slice(0, shownMax)
      .map(({ place, reason }) => visible(`refused: ${place}: ${reason}`)),
    ...(more > 0 ? [`${more} more refused: use --json`] : []),
  ]
}

function describeProject({ files, changes, problems }: ScannedProject, write: boolean): string {
  const all = changes.flatMap(({ found }) => found)
  const replaced = all.filter(({ after }) => after !== null).length
  const lines = changes.flatMap(({ path, found }) => [
    visible(path),
    ...found.flatMap(({ line, before, after, advice }) => [
      visible(`  ${line} - ${maskKeys(before)}`),
      after === null
        ? visible(`  ${line} ! by hand: ${advice ?? ''}`)
        : visible(`  ${line} + ${maskKeys(after)}`),
    ]),
  ])
  return [
    `Project: ${files} files, ${replaced} URLs ${write ? 'changed' : 'to change'}, ${all.length - replaced} to change by hand.`,
    ...lines,
    ...problems.map((problem) => visible(`problem: ${problem}`)),
  ].join('\n')
}

function hintOf({ apply, write, keys, allowlists, pins, project }: Migration): string {
  const imports = !apply && (keys !== null || allowlists !== null || pins !== null)
  const changes =
    !write &&
    (project?.changes.some(({ found }) => found.some(({ after }) => after !== null)) ?? false)
  const flags = [...(imports ? ['--apply'] : []), ...(changes ? ['--write'] : [])]
  return flags.length === 0 ? '' : `Nothing was changed. To do it, add ${flags.join(' and ')}.`
}
