// The verdict on a proof: a headline and a sentence, both derived from one value.
// Tested by test/browser/proof.test.ts
import type { ComponentChildren } from 'preact'
import { Icon } from '../ui/icons.tsx'

export function Verdict({
  isProved,
  text,
  children,
}: {
  readonly isProved: boolean
  readonly text: string
  /** Small remarks at the right. */
  readonly children?: ComponentChildren
}) {
  return (
    <div class={`verdict ${isProved ? 'good' : 'bad'}`} role={isProved ? 'status' : 'alert'}>
      <Icon name={isProved ? 'proof' : 'warning'} size={20} />
      <p>
        <b>{isProved ? 'Proved' : 'Not proved'}</b> {text}
      </p>
      <small class="soft">{children}</small>
    </div>
  )
}
