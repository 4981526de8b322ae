CREATE OR REPLACE FUNCTION docket_documents.makes_vectors_of(model docket_documents.embedding_model, chosen text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select not model.is_caller and case when chosen is null then model.is_default else model.config_name is not distinct from chosen end
$function$;
