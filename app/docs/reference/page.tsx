// The reference: every operation and event of the OpenAPI document, with a way to try each with a test key.

import { DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS } from '@/components/docs/docs-text';
import { Table } from '@/components/docs/guide-section';
import { KeyFields } from '@/components/docs/keys';
import { BodyView, OperationView } from '@/components/docs/operation-view';
import { RichText } from '@/components/docs/rich-text';
import { documentOf } from '@/lib/api/openapi/serve';

export const metadata = { title: DOCS_WORDS.reference };

export default function ReferencePage() {
  const { paths, webhooks, tags, components } = documentOf();
  const { schemas, parameters } = components;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const words = DOCS_WORDS.operation;
  return (
    <DocsFrame current="/docs/reference">
      <h1>{DOCS_WORDS.reference}</h1>
      <p>
        <RichText text={DOCS_WORDS.referenceIntro} />
      </p>
      <h2 id="headers">{words.headers}</h2>
      <p>{components.securitySchemes.ApiKey.description}</p>
      <p>{components.securitySchemes.MessageSignature.description}</p>
      <Table
        label={words.headers}
        head={[DOCS_WORDS.schema.field, DOCS_WORDS.schema.meaning]}
        rows={Object.values(parameters).map(({ name, description }) => [`\`${name}\``, description])}
      />
      <KeyFields words={DOCS_WORDS.keys}>
        {tags.map(({ name, description }) => {
          const own = operations.filter(({ operation }) => operation.tags.includes(name));
          return own.length === 0 ? null : (
            <section key={name}>
              <h2 id={`tag-${name}`}>{words.tags[name as keyof typeof words.tags] ?? name}</h2>
              <p>{description}</p>
              {own.map((one) => (
                <OperationView key={one.operation.operationId} {...one} schemas={schemas} parameters={parameters} />
              ))}
            </section>
          );
        })}
      </KeyFields>
      <section>
        <h2 id="tag-webhooks">{words.tags.webhooks}</h2>
        {Object.entries(webhooks).map(([type, { post }]) => (
          <details className="docs-operation" id={post.operationId} key={type}>
            <summary>
              <code>{type}</code>
              <span className="docs-summary">{post.summary}</span>
            </summary>
            <div className="docs-operation-body">
              <p>{post.description}</p>
              <Table
                label={`${words.headers}: ${type}`}
                head={[DOCS_WORDS.schema.field, DOCS_WORDS.schema.meaning]}
                rows={post.parameters.map(({ name, description }) => [`\`${name}\``, description])}
              />
              <BodyView title={words.request} content={post.requestBody.content} schemas={schemas} />
            </div>
          </details>
        ))}
      </section>
    </DocsFrame>
  );
}
