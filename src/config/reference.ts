// References inside values: `${env:NAME}` and `${file:/path}` are replaced by what they name, so that secrets
// need not stand in files or arguments.
// Tested by src/config/load.test.ts
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const referenceBytesMax = 65_536
const pattern = /\$\{(env|file):([^}]+)\}/g

export function hasReference(text: string): boolean {
  return text.search(pattern) !== -1
}

/** `text` with its references replaced, once: what they bring is not looked into. Throws ConfigError. */
export function resolveReferences(text: string, env: Environment, where: string): string {
  return text.replaceAll(pattern, (_all, kind: string, name: string) => {
    if (kind === 'file') return readSecretFile(name, where)
    const value = env[name]
    if (value === undefined) {
      throw new ConfigError(`${where}: the environment has no variable ${name}`)
    }
    return value
  })
}

/** Text of a small file without its last line break. Throws ConfigError when it cannot be read or is too long. */
export function readSecretFile(path: string, where: string): string {
  try {
    if (statSync(path).size <= referenceBytesMax) {
      return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    }
  } catch (error) {
    throw new ConfigError(`${where}: cannot read the file ${path}`, { cause: error })
  }
  throw new ConfigError(`${where}: the file ${path} is longer than ${referenceBytesMax} bytes`)
}
