// Keys in Kubo's shape: as JSON, and as a table with IDs of equal width.
// Tested by src/kubo/commands/names/names.test.ts
import type { CommandReply } from '../kubo-command.ts'

export type ShownKey = { readonly Name: string; readonly Id: string }

/** `long`: the text includes IDs. */
export function keyList(keys: readonly ShownKey[], long: boolean): CommandReply {
  const width = Math.max(0, ...keys.map(({ Id }) => Id.length))
  const text = () =>
    keys.map(({ Name, Id }) => (long ? `${Id.padEnd(width)} ${Name} \n` : `${Name}\n`)).join('')
  return { kind: 'object', value: { Keys: keys }, text }
}
