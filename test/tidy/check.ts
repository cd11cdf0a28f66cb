// Checks the house rules: returns violations of the rules in layers.ts, each as one sentence. Pure: takes files, returns sentences.
import { basename, dirname } from 'node:path/posix'
import * as rules from './layers.ts'
import {
  codeOf,
  exportsOf,
  folderOf,
  importsOf,
  isTest,
  isTypeOnly,
  type SourceFile,
} from './source.ts'

/** All violations in `files` (the whole of `src/`). `exists`: for paths relative to the project's root folder. */
export function findBreaches(
  files: readonly SourceFile[],
  exists: (path: string) => boolean,
): readonly string[] {
  const sources = files.filter((file) => !isTest(file))
  return [
    ...sources.flatMap(checkImports),
    ...sources.flatMap(checkDoors),
    ...sources.flatMap(checkShape),
    ...files.flatMap(checkNames),
    ...sources.flatMap((file) => checkTested(file, files, exists)),
    ...checkFolders(sources),
    ...checkCycles(sources),
  ]
}

function levelOf(folder: string): number | null {
  return rules.layers.find((layer) => layer.folders.includes(folder))?.level ?? null
}

function checkImports(file: SourceFile): readonly string[] {
  const from = folderOf(file.path)
  const level = levelOf(from)
  if (level === null) return [`${file.path}: folder ${from} has no layer`]
  return importsOf(file).flatMap(({ target }) => {
    if (target === null) return []
    if (target.startsWith('..')) return [`${file.path} -> ${target}: leaves src/`]
    const to = folderOf(target)
    const toLevel = levelOf(to)
    if (toLevel === null) return [`${file.path} -> ${target}: folder ${to} has no layer`]
    const edge = `${file.path} -> ${target}`
    const importers = rules.onlyImportedBy[to]
    if (importers !== undefined && !importers.includes(from)) {
      return [`${edge}: only ${importers.join(', ')} may import ${to}`]
    }
    if (to === from || [from, to].every((name) => rules.mayImportEachOther.includes(name))) {
      return []
    }
    if (toLevel > level) return [`${edge}: layer ${level} may not import layer ${toLevel}`]
    if (toLevel === level) return [`${edge}: folders of layer ${level} do not import each other`]
    return []
  })
}

function checkDoors(file: SourceFile): readonly string[] {
  const inside = (starts: readonly string[] = []) =>
    starts.some((start) => file.path.startsWith(start))
  const code = codeOf(file.text)
  return rules.doors.flatMap((door) => {
    if (inside(door.behind)) return []
    const imported = importsOf(file).some(
      ({ specifier, typeOnly }) =>
        door.module?.test(specifier) && !(typeOnly && inside(door.typesBehind)),
    )
    const breach = `${file.path}: uses ${door.thing}, whose door is ${door.behind.join(', ') || 'closed'}`
    return imported || door.code?.test(code) ? [breach] : []
  })
}

function checkShape(file: SourceFile): readonly string[] {
  const lines = file.text.split('\n')
  const head = lines.slice(
    0,
    lines.findIndex((line) => !/^(\/\/|#!)/.test(line)),
  )
  const long = lines.length > rules.longLines && !head.some((line) => line.includes('long: '))
  return [
    ...(head.length === 0 ? [`${file.path}: does not start by saying what it is`] : []),
    ...(long ? [`${file.path}: ${lines.length} lines and no "long: reason" in its head`] : []),
    ...(/^export default\b/m.test(codeOf(file.text)) ? [`${file.path}: has a default export`] : []),
    ...(basename(file.path) === 'index.ts' && !rules.indexFiles.includes(file.path)
      ? [`${file.path}: gathers other files, import them directly`]
      : []),
  ]
}

function checkNames(file: SourceFile): readonly string[] {
  const path = file.path.replace(/(\.test)?\.ts$/, '')
  const names = [...path.split('/'), ...exportsOf(file).map(({ name }) => name)]
  return names.flatMap((name) => {
    if (name in rules.allowedNames) return []
    const words = name
      .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
    const word = words.find((one) => rules.bannedWords.includes(one))
    const last = words.length > 1 && words.at(-1) === rules.bannedLastWord
    if (word === undefined && !last) return []
    return [`${file.path}: "${name}" says nothing with "${word ?? rules.bannedLastWord}"`]
  })
}

/** Covered: by a test next to it, by a test in its folder that imports it or a table that lists it, or by a named test. */
function checkTested(
  file: SourceFile,
  files: readonly SourceFile[],
  exists: (path: string) => boolean,
): readonly string[] {
  const sibling = file.path.replace(/\.ts$/, '.test.ts')
  if (isTypeOnly(file) || files.some(({ path }) => path === sibling)) return []
  const folder = dirname(file.path)
  const neighbours = files.filter((other) => isTest(other) && dirname(other.path) === folder)
  const reached = neighbours.flatMap(importsOf).map(({ target }) => target)
  const tables = files.filter(
    ({ path }) => rules.indexFiles.includes(path) && reached.includes(path),
  )
  const listed = tables.flatMap(importsOf).map(({ target }) => target)
  if ([...reached, ...listed].includes(file.path)) return []
  const named = /^\/\/ Tested by ([^\s,]+)/m.exec(file.text)?.[1]
  if (named === undefined)
    return [`${file.path}: no test next to it or in its folder, no line "Tested by"`]
  return exists(named) ? [] : [`${file.path}: says it is tested by ${named}, which is not there`]
}

function checkFolders(sources: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([, modules]) => modules > rules.folderModulesMax)
    .map(([folder, modules]) => `${folder}: ${modules} modules, at most ${rules.folderModulesMax}`)
}

/** Files that import each other in a cycle, types included; each cycle once. */
function checkCycles(sources: readonly SourceFile[]): readonly string[] {
  const targets = new Map(
    sources.map((file) => [file.path, importsOf(file).flatMap(({ target }) => target ?? [])]),
  )
  const done = new Set<string>()
  const breaches: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) breaches.push(`cycle: ${[...trail.slice(at), path].join(' -> ')}`)
    if (at !== -1 || done.has(path)) return
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of targets.keys()) visit(path, [])
  return breaches
}
