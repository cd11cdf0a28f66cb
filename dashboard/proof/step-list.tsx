// The steps of a proof. Each opens to show its bytes and their decoded fields.
// Tested by test/browser/proof.test.ts
import type { ComponentChildren } from 'preact'
import { toHex } from '../../src/base/hex.ts'
import { formatCount } from '../app/format.ts'
import { Badge } from '../ui/badge.tsx'
import { Facts } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import type { BlockStep } from './file-steps.ts'
import type { ProofStep } from './proof-steps.ts'

const shownBytes = 2048

export function StepList({ steps }: { readonly steps: readonly ProofStep[] }) {
  return (
    <ol class="proof-steps">
      {steps.map((step, index) => (
        <StepView
          key={step.hash + index}
          title={step.title}
          isValid={step.isValid}
          line={lineOf(step, steps)}
        >
          <div class="field">
            <span class="field-title">keccak256, computed in this browser</span>
            <Value text={step.hash} title="Copy the hash" />
          </div>
          {step.expected !== null && step.expected !== step.hash && (
            <div class="field">
              <span class="field-title">Expected block hash</span>
              <Value text={step.expected} />
            </div>
          )}
          <Facts
            rows={step.facts.map(([name, value]) => [name, <span class="mono">{value}</span>])}
          />
          <Bytes bytes={step.bytes} />
        </StepView>
      ))}
    </ol>
  )
}

export function FileStepList({ steps }: { readonly steps: readonly BlockStep[] }) {
  return (
    <ol class="proof-steps">
      {steps.map((step, index) => (
        <StepView
          key={step.cid + index}
          title={step.title}
          isValid={step.isValid}
          line={
            step.hash === null
              ? 'this page lacks the hash function of the CID'
              : step.isValid
                ? 'hash matches the CID'
                : 'hash does not match the CID'
          }
        >
          <Facts
            rows={[
              ['CID', <span class="mono">{step.cid}</span>],
              ['Hash in the CID', <span class="mono">{step.expected}</span>],
              ['Computed hash', <span class="mono">{step.hash ?? 'none'}</span>],
              ...step.facts,
            ]}
          />
          <Bytes bytes={step.bytes} />
        </StepView>
      ))}
    </ol>
  )
}

function lineOf({ isValid, foundIn, expected }: ProofStep, steps: readonly ProofStep[]): string {
  if (expected !== null) {
    return isValid ? 'hash matches the block hash' : 'hash does not match the block hash'
  }
  if (foundIn === null) return 'hash found in no earlier step'
  const below = steps[foundIn.step]?.title ?? ''
  return `hash found in step ${foundIn.step + 1} (${below}): ${foundIn.name}, byte ${foundIn.at}`
}

function StepView({
  title,
  isValid,
  line,
  children,
}: {
  readonly title: string
  readonly isValid: boolean
  readonly line: string
  readonly children: ComponentChildren
}) {
  return (
    <li class={isValid ? 'proof-step' : 'proof-step wrong'}>
      <details>
        <summary>
          <b>{title}</b>
          <Badge tone={isValid ? 'good' : 'bad'}>{isValid ? 'Hash matches' : 'No match'}</Badge>
          <span class="soft">{line}</span>
        </summary>
        <div class="stack tight">{children}</div>
      </details>
    </li>
  )
}

function Bytes({ bytes }: { readonly bytes: Uint8Array }) {
  const shown = toHex(bytes.slice(0, shownBytes))
  const more = bytes.length - shownBytes
  return (
    <div class="field">
      <span class="field-title">{formatCount(bytes.length, 'byte')}</span>
      <pre class="raw mono" tabIndex={0}>
        {more > 0 ? `${shown}… ${more} more` : shown}
      </pre>
    </div>
  )
}
