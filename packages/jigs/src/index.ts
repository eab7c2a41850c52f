export { noopJig } from './noop/noop.ts';
export { mergeWalls, parseWall, type ParsedWall } from './script/parse-wall.ts';
