// The reference: every operation and event of the OpenAPI document; each call can be tried with a test key.

import type { Metadata } from 'next';
import { EventBody, Fold } from '@/components/docs/body-view';
import { withApiNames } from '@/components/docs/api-names';
import { currentDocs } from '@/components/docs/current-docs';
import { DocsFrame, LinkedHeading } from '@/components/docs/docs-frame';
import { DOCS_WORDS } from '@/components/docs/docs-text';
import { Table } from '@/components/docs/guide-section';
import { KeyFields } from '@/components/docs/keys';
import { OpenLinked } from '@/components/docs/open-linked';
import { OperationView } from '@/components/docs/operation-view';
import { ReferenceText, RichText } from '@/components/docs/rich-text';
import { documentOf } from '@/lib/api/openapi/serve';

export const generateMetadata = async (): Promise<Metadata> => ({ title: (await currentDocs()).words.reference });

export default async function ReferencePage() {
  const { words: shell, locale } = await currentDocs();
  const { paths, webhooks, tags, components } = documentOf();
  const { schemas, parameters } = components;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const words = DOCS_WORDS.operation;
  const used = tags.filter(({ name }) => operations.some(({ operation }) => operation.tags.includes(name)));
  const contents = [
    { id: 'headers', title: words.headers },
    ...[...used, { name: 'webhooks' }].map(({ name }) => ({ id: `tag-${name}`, title: titleOf(name) })),
  ];
  return (
    <DocsFrame current="/docs/reference" contents={contents}>
      <OpenLinked />
      <h1>{shell.reference}</h1>
      <p>
        <RichText text={shell.referenceIntro} />
      </p>
      {locale !== 'en' && <p className="hint">{shell.referenceLanguage}</p>}
      <div lang="en">
        <LinkedHeading id="headers" title={words.headers} />
        <p>
          <ReferenceText text={components.securitySchemes.ApiKey.description} />
        </p>
        <p>
          <ReferenceText text={components.securitySchemes.MessageSignature.description} />
        </p>
        <Table
          label={words.headers}
          head={[DOCS_WORDS.schema.field, DOCS_WORDS.schema.meaning]}
          rows={headerRows(Object.values(parameters))}
        />
        <KeyFields words={DOCS_WORDS.keys} />
        {used.map(({ name, description }) => {
          const own = operations.filter(({ operation }) => operation.tags.includes(name));
          return (
            <section key={name}>
              <LinkedHeading id={`tag-${name}`} title={titleOf(name)} />
              <p>
                <ReferenceText text={description} />
              </p>
              {own.map((one) => (
                <OperationView key={one.operation.operationId} {...one} schemas={schemas} parameters={parameters} />
              ))}
            </section>
          );
        })}
        <section>
          <LinkedHeading id="tag-webhooks" title={titleOf('webhooks')} />
          {Object.entries(webhooks).map(([type, { post }]) => (
            <details className="docs-operation" id={post.operationId} key={type}>
              <summary>
                <code>{type}</code>
                <span className="docs-summary">{post.summary}</span>
              </summary>
              <div className="docs-operation-body">
                <p>
                  <ReferenceText text={post.description} />
                </p>
                <EventBody title={words.request} content={post.requestBody.content} schemas={schemas} />
                <Fold title={words.headers}>
                  <Table
                    label={`${words.headers}: ${type}`}
                    head={[DOCS_WORDS.schema.field, DOCS_WORDS.schema.meaning]}
                    rows={headerRows(post.parameters)}
                  />
                </Fold>
              </div>
            </details>
          ))}
        </section>
      </div>
    </DocsFrame>
  );
}

type Header = { readonly name: string; readonly description: string };

const headerRows = (headers: readonly Header[]) =>
  headers.map(({ name, description }) => [`\`${name}\``, withApiNames(description)]);

const titleOf = (tag: string): string => (DOCS_WORDS.operation.tags as Readonly<Record<string, string>>)[tag] ?? tag;
