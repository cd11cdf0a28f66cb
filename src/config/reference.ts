// References inside values: replaces `${env:NAME}` and `${file:/path}` by the variable or file content, so that files and arguments
// need not contain secrets.
// Tested by src/config/load.test.ts
import { readFileSync, statSync } from 'node:fs'
import { describeErrno } from '../base/describe-errno.ts'
import { type ConfigIssue, wrongAt } from './config-issue.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A text with its references replaced, or the issue with a reference. */
export type Resolved =
  | { readonly text: string; readonly mistake?: undefined }
  | { readonly mistake: ConfigIssue }

const referenceBytesMax = 65_536
const pattern = /\$\{(env|file):([^}]+)\}/g

export function hasReference(text: string): boolean {
  return text.search(pattern) !== -1
}

/**
 * Replaces the references of `text` once: replaced text is not searched again. `emptyRefused`: reports an empty value as an issue.
 */
export function resolveReferences(
  text: string,
  env: Environment,
  where: string,
  { emptyRefused = false } = {},
): Resolved {
  let mistake: ConfigIssue | null = null
  const resolved = text.replaceAll(pattern, (_all, kind: string, name: string) => {
    const brought = kind === 'file' ? readSecretFile(name, where) : readVariable(name, env, where)
    if (brought.mistake === undefined && brought.text === '' && emptyRefused) {
      const subject = kind === 'file' ? `the file ${name}` : `the variable ${name}`
      const fix = kind === 'file' ? `write the value into ${name}` : `export ${name}=…`
      mistake ??= wrongAt(where, `${subject} is empty`, fix)
    }
    if (brought.mistake === undefined) return brought.text
    mistake ??= brought.mistake
    return ''
  })
  return mistake === null ? { text: resolved } : { mistake }
}

function readVariable(name: string, env: Environment, where: string): Resolved {
  const text = env[name]
  if (text !== undefined) return { text }
  return { mistake: wrongAt(where, `the environment has no variable ${name}`, `export ${name}=…`) }
}

/** Text of a small file without its last line break; an issue if the file cannot be read or is too long. */
export function readSecretFile(path: string, where: string): Resolved {
  const fix = `ls -l ${path} shows what is there`
  try {
    if (statSync(path).size <= referenceBytesMax) {
      return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') }
    }
  } catch (error) {
    return {
      mistake: wrongAt(where, `cannot read the file ${path}: ${describeErrno(error)}`, fix),
    }
  }
  return {
    mistake: wrongAt(where, `the file ${path} is longer than ${referenceBytesMax} bytes`, fix),
  }
}
