export { noopJig } from './noop/noop.ts';
export { createTestJig, TEST_EVIDENCE, type TestJigOptions } from './test/test.ts';
export {
  createRoleProvidedJig,
  type RoleProvidedOptions,
  type Transition,
} from './role-provided/role-provided.ts';
export { mergeWalls, parseWall, type ParsedWall } from './script/parse-wall.ts';
export { makeBundle, type BundleContent, type Script } from './script/bundle.ts';
export { createScriptJig, type ScriptJig, type ScriptJigOptions } from './script/script.ts';
